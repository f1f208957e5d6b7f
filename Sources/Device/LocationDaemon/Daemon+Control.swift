internal import Dispatch
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// locationctl: the requests and orders of the device's owner.
extension Daemon {
    typealias Reply = WireControlReply

    func controlConnected(_ socket: PacketSocket) {
        self.admitOwner(socket) { daemon, reason in
            daemon.turnAwayControl(socket, reason)
        } admitted: { daemon, _ in
            daemon.takeControl(socket)
        }
    }

    private func turnAwayControl(_ socket: PacketSocket, _ reason: String) {
        if let packet = try? WireMessage.encode(Reply.with { $0.failure.message = reason }) {
            _ = try? socket.send(packet)
        }
    }

    private func takeControl(_ socket: PacketSocket) {
        guard self.tools.count < Self.ownersConnectionsMax else {
            let reason = "\(Self.ownersConnectionsMax) locationctl connections are open, which is the limit; end some"
            return self.turnAwaySurplus(socket, reason) { $0.turnAwayControl(socket, $1) }
        }
        self.tools.add(socket) { [weak self] event, key in self?.assumeIsolated { $0.controlReceived(event, key) } }
    }

    private func controlReceived(_ event: PacketConnection.Event, _ key: ObjectIdentifier) {
        guard self.tools.holds(key) else { return }
        guard case .packet(let packet, _) = event,
            let request = try? WireMessage.decode(WireControlRequest.self, from: packet)
        else { return self.tools.close(key) }
        do throws(DaemonError) {
            guard let reply = try self.answer(request, key) else { return }
            // A change that would not survive a restart must not be reported as done.
            if let unsaved = self.unsaved, case .done = reply.body { throw unsaved }
            self.reply(reply, to: key)
        } catch {
            self.refuse(error, to: key)
        }
    }

    func refuse(_ error: DaemonError, to key: ObjectIdentifier) {
        self.reply(.with { $0.failure = .with { $0.message = error.description.cut(toBytes: Self.wordsMax) } }, to: key)
    }

    func reply(_ reply: Reply, to key: ObjectIdentifier) { self.tools.reply(reply, to: key) }

    /// The longest text for people in an answer, in bytes; an app or a file could supply a longer one.
    static let wordsMax = 4000

    /// Answers a request; nil when the answer is sent later.
    private func answer(
        _ request: WireControlRequest,
        _ key: ObjectIdentifier
    ) throws(DaemonError) -> Reply? {
        switch request.body {
        case .status: return self.report.status
        case .install(let order):
            try self.install(order, for: key)
            return nil
        case .uninstall(let order):
            self.uninstall(BundleID(order.bundle), key)
            return nil
        case .settings(let order):
            try self.change(order, key)
            return nil
        case .phase(let order):
            guard let phase = order.phase.phase else { throw DaemonError("this locationd does not know the phase") }
            if let refusal = self.orderErrors.refusalOfProcess(BundleID(order.bundle)) { throw refusal }
            self.carryOut(.show(BundleID(order.bundle), phase), for: key) { _ in
                "\(order.bundle) is in the \(phase == .foreground ? "foreground" : "background")"
            }
            return nil
        case .run(let order):
            if let refusal = self.orderErrors.refusalOfProcess(BundleID(order.bundle)) { throw refusal }
            self.run(order, key)
            return nil
        case .terminate(let order):
            if let refusal = self.orderErrors.refusalOfProcess(BundleID(order.bundle)) { throw refusal }
            self.terminate(BundleID(order.bundle), key)
            return nil
        case .log(let order): return self.storage.logLines(order)
        case .power: return .with { $0.power = self.sources.powerReport() }
        case .diagnosis:
            try self.diagnose(key)
            return nil
        case .record(let order):
            try self.tools.record(order, from: self.report.shownSource, key)
            return nil
        case .playback(let order):
            try self.play(order, key)
            return nil
        case .pushes: return .with { $0.pushes = self.storage.pushAccounts(budget: self.core.engine.pushBudgetLevel) }
        case .push(let order): return try self.testPush(order, key)
        case nil: throw DaemonError("this locationd does not know the command; restart it, or install the same version")
        }
    }

    static func done(_ message: String) -> WireControlReply {
        .with { $0.done = .with { $0.message = message.cut(toBytes: Self.wordsMax) } }
    }

    // MARK: Orders

    /// Carries out an order of a control connection, and sends the outcome on that connection.
    ///
    /// - Parameters:
    ///   - order: the order.
    ///   - key: the connection.
    ///   - done: returns the answer after the order succeeded.
    func carryOut(
        _ order: Order,
        for key: ObjectIdentifier,
        done: @escaping (OrderResult) throws(DaemonError) -> String
    ) {
        self.carryOut(order) { result in
            do throws(DaemonError) {
                if let failure = self.orderErrors.failure(result, of: order) { throw failure }
                let words = try done(result)
                // Do not report a change as done if it would not survive a restart.
                if let unsaved = self.unsaved { throw unsaved }
                self.reply(Self.done(words), to: key)
            } catch {
                self.refuse(error, to: key)
            }
        }
    }

    private func change(_ order: WireSettingsRequest, _ key: ObjectIdentifier) throws(DaemonError) {
        if order.hasLocation, order.location.setting == nil {
            throw DaemonError("this locationd does not know the setting: it may be older than locationctl. Restart it")
        }
        guard !order.bundle.isEmpty || !order.hasLocation && !order.hasPrecise else {
            throw self.orderErrors.unknown(BundleID(""))
        }
        let change = SettingsChange(
            bundle: order.bundle.isEmpty ? nil : BundleID(order.bundle),
            areServicesOn: order.hasLocationServices ? order.locationServices : nil,
            location: order.hasLocation ? order.location.setting : nil,
            isPrecise: order.hasPrecise ? order.precise : nil
        )
        let changesSomething = order.hasLocationServices || order.hasLocation || order.hasPrecise
        self.carryOut(.change(change)) { result in
            if let failure = self.orderErrors.failure(result, of: .change(change)) {
                return self.refuse(failure, to: key)
            }
            // Do not report a change as done if it would not survive a restart.
            if changesSomething, let unsaved = self.unsaved { return self.refuse(unsaved, to: key) }
            self.reply(.with { $0.settings = self.report.settings }, to: key)
        }
    }

    private func run(_ order: WireRunRequest, _ key: ObjectIdentifier) {
        let bundle = BundleID(order.bundle)
        let phase = order.background ? "background" : "foreground"
        let ran = self.core.engine.status(of: bundle).map { $0.process != .notRunning } ?? false
        self.carryOut(
            .run(bundle, order.background ? .background : .foreground, arguments: order.arguments),
            for: key
        ) { _ in
            ran
                ? "\(bundle) runs already; it is in the \(phase)"
                : "\(bundle) runs; what it writes is in \(self.folders.outputPath(of: bundle))"
        }
    }

    private func terminate(_ bundle: BundleID, _ key: ObjectIdentifier) {
        self.carryOut(.close(bundle, by: .person), for: key) { _ throws(DaemonError) in
            guard !self.processes.isSurvived(bundle) else {
                throw self.processes.endlessProcesses(of: bundle)
            }
            return "\(bundle) has ended"
        }
    }

    private func uninstall(_ bundle: BundleID, _ key: ObjectIdentifier) {
        // The core does not know an app whose record cannot be read.
        if self.bundles.apps[bundle] == nil, self.bundles.broken[bundle] != nil {
            self.feed(.appUninstalled(bundle))
            return self.removeFiles(of: bundle, for: key)
        }
        self.carryOut(.remove(bundle)) { result in
            if let failure = self.orderErrors.failure(result, of: .remove(bundle)) {
                return self.refuse(failure, to: key)
            }
            self.removeFiles(of: bundle, for: key)
        }
    }

    // MARK: Doctor

    /// How long the doctor waits for a receiver to report.
    ///
    /// Source: our choice; receivers report once a second, and a port without a listener refuses at once.
    static let trialTime = Duration.seconds(4)

    /// Runs the sources until one reports a position or the time is over, then sends a control connection the findings.
    func diagnose(_ key: ObjectIdentifier) throws(DaemonError) {
        try self.tools.beginTrial(key)
        self.polkit.tryOut()
        self.executor.queue.asyncAfter(deadline: .now() + Self.trialTime / .seconds(1)) { [weak self] in
            self?.assumeIsolated { $0.trialEnded(key) }
        }
    }

    /// Sends the findings before the sources are switched off again.
    func trialEnded(_ key: ObjectIdentifier) {
        guard self.tools.isTrial(key) else { return }
        self.reply(.with { $0.diagnosis = self.report.diagnosis }, to: key)
        self.tools.endTrial(key)
    }
}
