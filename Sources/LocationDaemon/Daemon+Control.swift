internal import Foundation
internal import Glibc
internal import LocationEngine
internal import LocationHost
internal import LocationWire
internal import LocationWireMessages
internal import SwiftProtobuf

/// locationctl: what the device's owner asks and orders.
extension Daemon {
    private typealias Reply = Whereabouts_Locationwire_V1_ControlReply

    func controlConnected(_ socket: PacketSocket) {
        // The socket's mode says the same; this holds even where its directory was opened up.
        guard let peer = socket.peer, peer.uid == geteuid() || peer.uid == 0 else { return }
        let key = ObjectIdentifier(socket)
        self.controls[key] = PacketConnection(
            socket,
            queue: self.executor.queue,
            writable: { [weak self] in self?.assumeIsolated { $0.controls[key]?.flush() } },
            event: { [weak self] event in self?.assumeIsolated { $0.controlReceived(event, key) } }
        )
    }

    private func controlReceived(_ event: PacketConnection.Event, _ key: ObjectIdentifier) {
        guard let connection = self.controls[key] else { return }
        guard case .packet(let packet, _) = event,
            let request = try? WireMessage.decode(Whereabouts_Locationwire_V1_ControlRequest.self, from: packet)
        else {
            connection.close()
            self.controls[key] = nil
            return
        }
        let reply: Reply
        do {
            reply = try self.answer(request)
        } catch {
            reply = .with { $0.failure = .with { $0.message = error.description } }
        }
        if let packet = try? WireMessage.encode(reply) { _ = connection.send(packet) }
    }

    private func answer(_ request: Whereabouts_Locationwire_V1_ControlRequest) throws(DaemonError) -> Reply {
        switch request.body {
        case .status: return .with { $0.status = self.deviceStatus() }
        case .install(let order): return Self.done(try self.install(order))
        case .uninstall(let order): return Self.done(try self.uninstall(BundleID(order.bundle)))
        case .authorize(let order): return Self.done(try self.authorize(order))
        case .run(let order):
            try self.runApp(
                BundleID(order.bundle),
                arguments: order.arguments,
                phase: order.background ? .background : .foreground
            )
            return Self.done("\(order.bundle) runs")
        case .terminate(let order):
            try self.terminateApp(BundleID(order.bundle))
            return Self.done("\(order.bundle) is told to end")
        case .log(let order): return self.logLines(order)
        case nil: throw DaemonError("this locationd does not know the request; locationctl may be newer than it")
        }
    }

    private static func done(_ message: String) -> Reply {
        .with { $0.done = .with { $0.message = message } }
    }

    private func install(_ order: Whereabouts_Locationwire_V1_InstallRequest) throws(DaemonError) -> String {
        let approved = Set(order.approvedEntitlements)
        let installed = try self.bundles.install(path: order.path, approving: approved)
        self.feed(.appInstalled(installed.bundle.id, installed.bundle.manifest(approved: installed.approved)))
        return "\(installed.bundle.name) (\(installed.bundle.id)) is installed"
    }

    private func uninstall(_ bundle: BundleID) throws(DaemonError) -> String {
        guard self.bundles.apps[bundle] != nil else { throw self.unknown(bundle) }
        self.feed(.appUninstalled(bundle))
        self.appProcesses[bundle]?.signal(SIGKILL)
        for entry in self.extensionProcesses.values where entry.bundle == bundle { entry.process.signal(SIGKILL) }
        self.bundles.uninstall(bundle)
        try? FileManager.default.removeItem(atPath: self.container(of: bundle))
        return "\(bundle) is removed, with its container"
    }

    private func authorize(_ order: Whereabouts_Locationwire_V1_AuthorizeRequest) throws(DaemonError) -> String {
        let bundle = BundleID(order.bundle)
        guard self.bundles.apps[bundle] != nil else { throw self.unknown(bundle) }
        guard let setting = order.authorization.setting else {
            throw DaemonError("this locationd does not know the authorization; locationctl may be newer than it")
        }
        self.feed(.authorizationSet(bundle, setting))
        let status = self.engine.status(of: bundle)?.authorization ?? .notDetermined
        return "\(bundle): \(DeviceLog.Line.words(status))"
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

    // MARK: Status

    private func deviceStatus() -> Whereabouts_Locationwire_V1_DeviceStatus {
        .with {
            switch self.configuration.source {
            case .gpsd(let host, let port): $0.source = "gpsd at \(host):\(port)"
            case .replay(let path): $0.source = "replay of \(path)"
            }
            $0.sourceState = self.sourceState
            $0.gateway = self.configuration.gateway.map { "\($0.host):\($0.port)" } ?? ""
            $0.gatewayState = self.linkState
            $0.apps = self.bundles.apps.sorted { $0.key < $1.key }.map { id, installed in
                self.appStatus(id, installed)
            }
        }
    }

    private func appStatus(
        _ id: BundleID,
        _ installed: BundleStore.Installed
    ) -> Whereabouts_Locationwire_V1_AppStatus {
        let status = self.engine.status(of: id)
        return .with {
            $0.bundle = id.rawValue
            $0.name = installed.bundle.name
            $0.authorization = .init(status?.authorization ?? .notDetermined)
            if let prompt = self.engine.currentPrompt, prompt.bundle == id { $0.prompt = prompt.question.words }
            $0.process = status?.process.words ?? "not running"
            $0.sessions = (status?.sessions ?? []).map(\.words)
            $0.monitorsPushes = status?.monitorsPushes ?? false
            $0.extensionRunning = status?.extensionRuns ?? false
            $0.container = self.container(of: id)
            $0.entitlements = installed.approved.sorted()
        }
    }
}

extension AppStatus.Process {
    fileprivate var words: String {
        switch self {
        case .notRunning: "not running"
        case .foreground: "foreground"
        case .background: "background"
        case .suspended: "suspended"
        }
    }
}

extension Prompt.Question {
    fileprivate var words: String {
        switch self {
        case .whenInUse: "when in use?"
        case .always: "always?"
        case .confirmAlways: "still always?"
        case .fullAccuracy(let purpose): "precise, for \(purpose)?"
        }
    }
}

extension Declaration.Session.Requirement {
    fileprivate var words: String {
        switch self {
        case .none: "none"
        case .whenInUse: "when in use"
        case .always: "always"
        }
    }
}
