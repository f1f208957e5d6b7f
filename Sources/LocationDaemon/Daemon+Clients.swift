internal import CLinux
internal import Foundation
internal import LocationEngine
internal import LocationHost
internal import LocationWire
internal import LocationWireMessages
internal import Logging
internal import SwiftProtobuf

/// Apps and extensions: who they are, what they say, what they are told.
extension Daemon {
    // MARK: Connections

    /// Accepts a process that came by itself: only an installed app's own executable, as the kernel tells (ADR 0006).
    func appConnected(_ socket: PacketSocket) {
        guard let peer = socket.peer else { return }
        guard let bundle = self.bundle(of: peer.pid) else {
            let message =
                "this process is no installed app; make a bundle of it with `locationctl bundle`, install it with "
                + "`locationctl install`, and start it with `locationctl run`"
            let refusal = Whereabouts_Locationwire_V1_DaemonMessage.with {
                $0.refusal = .with { $0.message = message }
            }
            if let packet = try? WireMessage.encode(refusal) { _ = try? socket.send(packet) }
            return
        }
        socket.passCredentials()
        self.connect(socket, Principal(bundle: bundle, role: .app), Lifecycle.Arrival(), pid: peer.pid)
    }

    private func bundle(of pid: Int32) -> BundleID? {
        guard let running = try? FileIdentity(path: "/proc/\(pid)/exe") else { return nil }
        return self.bundles.apps.first { $0.value.executable == running && $0.value.isIntact }?.key
    }

    private func connect(_ socket: PacketSocket, _ principal: Principal, _ arrival: Lifecycle.Arrival, pid: Int32) {
        let client = self.takeClientID()
        // Some forty fixes, or one push: what lies in the kernel for a peer that does not read is stale.
        socket.setSendBuffer(bytes: 16 * 1024)
        let connection = PacketConnection(
            socket,
            queue: self.executor.queue,
            writable: { [weak self] in self?.assumeIsolated { $0.peers[client]?.connection.flush() } },
            event: { [weak self] event in self?.assumeIsolated { $0.received(event, from: client) } }
        )
        self.peers[client] = Peer(principal: principal, connection: connection, pid: pid)
        self.feed(.clientConnected(client, principal, arrival))
    }

    func disconnect(_ client: ClientID) {
        guard let peer = self.peers.removeValue(forKey: client) else { return }
        peer.connection.close()
        // Not in the middle of the effects of another input.
        self.executor.queue.async { self.assumeIsolated { $0.feed(.clientVanished(client)) } }
    }

    private func received(_ event: PacketConnection.Event, from client: ClientID) {
        guard let peer = self.peers[client] else { return }
        switch event {
        case .closed: self.disconnect(client)
        case .packet(let packet, let sender):
            if peer.pid != 0, sender != peer.pid {
                self.logger.warning("a packet from a stranger on an app's connection", metadata: ["pid": "\(sender)"])
                return self.disconnect(client)
            }
            guard
                let message = try? WireMessage.decode(Whereabouts_Locationwire_V1_ClientMessage.self, from: packet)
            else {
                self.logger.warning("a packet that is no message", metadata: ["app": "\(peer.principal.bundle)"])
                return self.disconnect(client)
            }
            self.received(message, from: client)
        }
    }

    private func received(_ message: Whereabouts_Locationwire_V1_ClientMessage, from client: ClientID) {
        switch message.body {
        case .declaration(let declaration): self.feed(.clientDeclared(client, Declaration(declaration)))
        case .pushTokenRequest(let request): self.feed(.pushTokenRequested(client, request: request.request))
        case .stopMonitoringPushes: self.feed(.pushMonitoringStopped(client))
        case .pushCompleted(let push):
            self.feed(.pushCompleted(client, PushID(high: push.pushHigh, low: push.pushLow)))
        case .authorizationRequest(let request):
            self.feed(.authorizationRequested(client, request.always ? .always : .whenInUse))
        case .fullAccuracyRequest(let request):
            self.feed(.fullAccuracyRequested(client, purpose: request.purpose, request: request.request))
        case .phaseReport(let report):
            if let phase = report.phase.phase { self.feed(.phaseReported(client, phase)) }
        case nil: break
        }
    }

    // MARK: Messages

    func send(_ message: Whereabouts_Locationwire_V1_DaemonMessage, to client: ClientID) {
        guard let peer = self.peers[client], let packet = try? WireMessage.encode(message) else { return }
        if !peer.connection.send(packet) {
            self.logger.warning("an app does not read and was cut off", metadata: ["app": "\(peer.principal.bundle)"])
            self.disconnect(client)
        }
    }

    func send(_ update: Update, of stream: UInt64, to client: ClientID) {
        let message = Whereabouts_Locationwire_V1_DaemonMessage.with { $0.update = .init(update, stream: stream) }
        // Only plain positions stand for one another (ADR 0009).
        guard update.diagnostics.isEmpty else { return self.send(message, to: client) }
        guard let packet = try? WireMessage.encode(message) else { return }
        self.peers[client]?.connection.send(newest: packet, of: stream)
    }

    // MARK: Processes

    func launchExtension(of bundle: BundleID, _ launch: LaunchID) {
        do {
            guard let inside = self.bundles.apps[bundle]?.bundle.pushExtension else {
                throw DaemonError("\(bundle) has no location push service extension")
            }
            let principal = Principal(bundle: bundle, role: .pushExtension(launch))
            let process = try self.start(
                inside.executable,
                [],
                of: bundle,
                as: principal,
                Lifecycle.Arrival(phase: .background, isManaged: true, reason: .push)
            ) { [weak self] end in
                self?.assumeIsolated { $0.extensionEnded(launch, end) }
            }
            self.extensionProcesses[launch] = (bundle, process)
        } catch {
            self.logger.error("an extension could not be started", metadata: ["reason": "\(error)"])
            self.executor.queue.async {
                self.assumeIsolated { $0.feed(.extensionExited(bundle, launch, .neverStarted(0))) }
            }
        }
    }

    private func extensionEnded(_ launch: LaunchID, _ end: ChildProcess.End) {
        guard let (bundle, process) = self.extensionProcesses.removeValue(forKey: launch) else { return }
        // What it started must not outlive it; what escaped from its group must not speak for it.
        kill(-process.pid, SIGKILL)
        let principal = Principal(bundle: bundle, role: .pushExtension(launch))
        for (client, peer) in self.peers where peer.principal == principal { self.disconnect(client) }
        self.feed(.extensionExited(bundle, launch, Engine.ProcessEnd(end)))
    }

    func runApp(_ bundle: BundleID, arguments: [String], phase: Lifecycle.Phase) throws(DaemonError) {
        guard let installed = self.bundles.apps[bundle] else { throw self.unknown(bundle) }
        if self.appProcesses[bundle] != nil {
            return self.feed(.phaseChanged(bundle, phase))
        }
        let principal = Principal(bundle: bundle, role: .app)
        self.appProcesses[bundle] = try self.start(
            installed.bundle.executable,
            arguments,
            of: bundle,
            as: principal,
            Lifecycle.Arrival(phase: phase, isManaged: true)
        ) { [weak self] end in
            self?.assumeIsolated { $0.appEnded(bundle, end) }
        }
    }

    /// Starts an app because there is something for it.
    func launchApp(_ bundle: BundleID) {
        do {
            try self.runApp(bundle, arguments: [], phase: .background)
        } catch {
            self.logger.error("an app could not be started", metadata: ["reason": "\(error)"])
            self.executor.queue.async {
                self.assumeIsolated { $0.feed(.appExited(bundle, .neverStarted(0))) }
            }
        }
    }

    private func appEnded(_ bundle: BundleID, _ end: ChildProcess.End) {
        self.appProcesses[bundle] = nil
        switch end {
        case .exited(0): break
        case .exited(let status): self.log(bundle, "app-exited", "The app exited with status \(status).")
        case .signalled(let signal): self.log(bundle, "app-exited", "The app was ended by signal \(signal).")
        }
        // What still speaks for it has escaped from it.
        let principal = Principal(bundle: bundle, role: .app)
        for (client, peer) in self.peers where peer.principal == principal && peer.pid == 0 { self.disconnect(client) }
        self.feed(.appExited(bundle, Engine.ProcessEnd(end)))
    }

    /// Ends an app; SIGKILL after five seconds (as systemd and iOS's watchdog do in kind).
    func terminateApp(_ bundle: BundleID) throws(DaemonError) {
        guard self.bundles.apps[bundle] != nil else { throw self.unknown(bundle) }
        guard let process = self.appProcesses[bundle] else { throw DaemonError("\(bundle) does not run") }
        self.feed(.terminationBegan(bundle, by: .person))
        process.signal(SIGTERM)
        let pid = process.pid
        self.executor.queue.asyncAfter(deadline: .now() + 5) { [weak self] in
            self?.assumeIsolated { daemon in
                if let process = daemon.appProcesses[bundle], process.pid == pid { process.signal(SIGKILL) }
            }
        }
    }

    private func start(
        _ executable: String,
        _ arguments: [String],
        of bundle: BundleID,
        as principal: Principal,
        _ arrival: Lifecycle.Arrival,
        ended: @escaping @Sendable (ChildProcess.End) -> Void
    ) throws(DaemonError) -> ChildProcess {
        let container = self.container(of: bundle)
        try DurableFile.makeDirectory(container + "/tmp")
        let ends: (PacketSocket, PacketSocket)
        do {
            ends = try PacketSocket.pair()
        } catch {
            throw DaemonError(error.description)
        }
        let pid = try self.launcher.launch(
            ProcessLauncher.Order(
                executable: executable,
                arguments: arguments,
                container: container,
                outputPath: "\(self.configuration.stateDirectory)/output/\(bundle.rawValue).log",
                connection: ends.1
            )
        )
        let process = try ChildProcess(pid: pid, queue: self.executor.queue, ended: ended)
        // Handed over, so that whoever holds the other end is the process itself, or was given it by it.
        self.connect(ends.0, principal, arrival, pid: 0)
        return process
    }

    func container(of bundle: BundleID) -> String {
        "\(self.configuration.stateDirectory)/containers/\(bundle.rawValue)"
    }

    func unknown(_ bundle: BundleID) -> DaemonError {
        let known = self.bundles.apps.keys.sorted().map(\.rawValue).joined(separator: ", ")
        return DaemonError(
            "no app \(bundle) is installed; "
                + (known.isEmpty ? "none is (`locationctl install`)" : "there are: \(known)")
        )
    }

    func log(_ bundle: BundleID, _ event: String, _ text: String) {
        self.log.append(
            DeviceLog.Line(time: Clocks.wall().microseconds, bundle: bundle.rawValue, event: event, text: text)
        )
    }
}

extension Engine.ProcessEnd {
    fileprivate init(_ end: ChildProcess.End) {
        self =
            switch end {
            case .exited(let status): .exited(status)
            case .signalled(let signal): .signalled(signal)
            }
    }
}
