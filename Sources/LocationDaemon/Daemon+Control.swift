internal import Foundation
internal import Glibc
internal import LocationEngine
internal import LocationHost
internal import LocationWire
internal import LocationWireMessages
internal import SwiftProtobuf

/// locationctl: what the device's owner asks and orders.
extension Daemon {
    typealias Reply = Whereabouts_Locationwire_V1_ControlReply

    func controlConnected(_ socket: PacketSocket) {
        guard self.isOwners(socket), self.controls.count < Self.ownersConnectionsMax else { return }
        let key = ObjectIdentifier(socket)
        self.controls[key] = PacketConnection(
            socket,
            queue: self.executor.queue,
            writable: { [weak self] in self?.assumeIsolated { $0.controls[key]?.flush() } },
            event: { [weak self] event in self?.assumeIsolated { $0.controlReceived(event, key) } }
        )
    }

    private func controlReceived(_ event: PacketConnection.Event, _ key: ObjectIdentifier) {
        guard self.controls[key] != nil else { return }
        guard case .packet(let packet, _) = event,
            let request = try? WireMessage.decode(Whereabouts_Locationwire_V1_ControlRequest.self, from: packet)
        else { return self.closeControl(key) }
        do throws(DaemonError) {
            guard let reply = try self.answer(request, key) else { return }
            // What would not survive a restart is not said to be done.
            if let unsaved = self.unsaved, case .done = reply.body { throw unsaved }
            if let unsaved = self.unsaved, request.settings.changesSomething { throw unsaved }
            self.reply(reply, to: key)
        } catch {
            self.refuse(error, to: key)
        }
    }

    func refuse(_ error: DaemonError, to key: ObjectIdentifier) {
        self.reply(.with { $0.failure = .with { $0.message = error.description } }, to: key)
    }

    func reply(_ reply: Reply, to key: ObjectIdentifier) {
        guard let connection = self.controls[key], let packet = try? WireMessage.encode(reply) else { return }
        guard packet.count <= PacketSocket.packetBytesMax else {
            let message = "the answer has \(packet.count) bytes, more than a packet holds"
            return self.reply(.with { $0.failure = .with { $0.message = message } }, to: key)
        }
        if !connection.send(packet) { self.closeControl(key) }
    }

    private func closeControl(_ key: ObjectIdentifier) {
        self.controls.removeValue(forKey: key)?.close()
    }

    /// Answers a request; nil when the answer comes later.
    private func answer(
        _ request: Whereabouts_Locationwire_V1_ControlRequest,
        _ key: ObjectIdentifier
    ) throws(DaemonError) -> Reply? {
        switch request.body {
        case .status: return .with { $0.status = self.deviceStatus() }
        case .install(let order):
            try self.install(order, for: key)
            return nil
        case .uninstall(let order): return Self.done(try self.uninstall(BundleID(order.bundle)))
        case .settings(let order):
            let settings = try self.change(order)
            return .with { $0.settings = settings }
        case .phase(let order):
            guard let phase = order.phase.phase else { throw DaemonError("this locationd does not know the phase") }
            try self.setPhase(BundleID(order.bundle), phase)
            return Self.done("\(order.bundle) is in the \(phase == .foreground ? "foreground" : "background")")
        case .run(let order):
            return try self.run(order, key)
        case .terminate(let order):
            try self.terminateApp(BundleID(order.bundle))
            self.runs[BundleID(order.bundle)]?.endWaits.append(key)
            return nil
        case .log(let order): return self.logLines(order)
        case .pushes: return .with { $0.pushes = self.pushAccounts() }
        case .push(let order): return try self.testPush(order)
        case nil: throw DaemonError("this locationd does not know the request; locationctl may be newer than it")
        }
    }

    static func done(_ message: String) -> Whereabouts_Locationwire_V1_ControlReply {
        .with { $0.done = .with { $0.message = message } }
    }

    private func run(
        _ order: Whereabouts_Locationwire_V1_RunRequest,
        _ key: ObjectIdentifier
    ) throws(DaemonError) -> Reply? {
        let bundle = BundleID(order.bundle)
        let phase: Lifecycle.Phase = order.background ? .background : .foreground
        if let status = self.engine.status(of: bundle), status.process != .notRunning {
            guard order.arguments.isEmpty else {
                throw DaemonError(
                    "\(bundle) runs already, and gets no other arguments; `locationctl terminate \(bundle)` ends it first, or "
                        + "leave out what follows --"
                )
            }
            try self.setPhase(bundle, phase)
            return Self.done("\(bundle) runs already; it is in the \(order.background ? "background" : "foreground")")
        }
        try self.startApp(bundle, arguments: order.arguments, .init(phase: phase, isManaged: true))
        self.runs[bundle]?.startWaits.append(key)
        let pid = self.runs[bundle]?.process.pid
        // What is wrong with its start shows soon: a missing library, a wrong argument.
        self.executor.queue.asyncAfter(deadline: .now() + .milliseconds(500)) { [weak self] in
            self?.assumeIsolated { daemon in
                if daemon.runs[bundle]?.process.pid == pid { daemon.settleStart(of: bundle) }
            }
        }
        return nil
    }

    /// Tells who started an app that it runs.
    func settleStart(of bundle: BundleID) {
        guard let waits = self.runs[bundle]?.startWaits, !waits.isEmpty else { return }
        self.runs[bundle]?.startWaits = []
        for key in waits { self.reply(Self.done("\(bundle) runs"), to: key) }
    }

    /// Tells who waits for an app what became of it.
    func settle(_ run: AppRun, _ bundle: BundleID, ended end: AppProcess.End) {
        for key in run.endWaits { self.reply(Self.done("\(bundle) has ended"), to: key) }
        guard !run.startWaits.isEmpty else { return }
        let how =
            switch end {
            case .exited(let status): "exited at once, with status \(status)"
            case .signalled(let signal): "was ended at once by signal \(signal)"
            case .unknown: "ended at once"
            }
        let message = "\(bundle) \(how); what it wrote is at the end of \(self.outputPath(of: bundle))"
        for key in run.startWaits { self.reply(.with { $0.failure = .with { $0.message = message } }, to: key) }
    }

    private func uninstall(_ bundle: BundleID) throws(DaemonError) -> String {
        guard self.bundles.apps[bundle] != nil || self.bundles.broken[bundle] != nil else { throw self.unknown(bundle) }
        self.feed(.appUninstalled(bundle))
        self.runs[bundle]?.process.signal(SIGKILL)
        for entry in self.extensionProcesses.values where entry.bundle == bundle { entry.process.endSupervised() }
        self.bundles.uninstall(bundle)
        self.accounts.forget(bundle)
        try? FileManager.default.removeItem(atPath: self.container(of: bundle))
        try? FileManager.default.removeItem(atPath: self.outputPath(of: bundle))
        return "\(bundle) is removed, with its container and its output"
    }

    private func logLines(_ order: Whereabouts_Locationwire_V1_LogRequest) -> Reply {
        // A line takes some 200 bytes; this many fit a packet whatever their apps are called.
        let lines = self.log.last(min(Int(order.last), 250), bundle: order.bundle)
        return .with {
            $0.log = .with {
                $0.lines = lines.map { line in
                    .with {
                        $0.time = line.time
                        $0.bundle = line.bundle
                        $0.event = line.event
                        $0.text = line.text
                    }
                }
            }
        }
    }
}

extension Whereabouts_Locationwire_V1_SettingsRequest {
    fileprivate var changesSomething: Bool { self.hasLocationServices || self.hasLocation || self.hasPrecise }
}
