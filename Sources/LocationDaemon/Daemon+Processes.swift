internal import Foundation
internal import Glibc
internal import LocationEngine
internal import LocationWire
internal import Logging

/// The processes of apps and extensions: started, frozen, thawed, ended, and taken over from an earlier locationd.
extension Daemon {
    // MARK: Extensions

    func launchExtension(of bundle: BundleID, _ launch: LaunchID) {
        do {
            guard let inside = try self.intactApp(bundle).bundle.pushExtension else {
                throw DaemonError("\(bundle) has no location push service extension")
            }
            self.extensionProcesses[launch] = (
                bundle,
                try self.start(
                    inside.executable,
                    [],
                    of: bundle,
                    as: Principal(bundle: bundle, role: .pushExtension(launch)),
                    Lifecycle.Arrival(phase: .background, isManaged: true, reason: .push),
                    in: self.cgroups?.make("\(CgroupTree.extensionPrefix)\(launch.rawValue)")
                ) { [weak self] end in
                    self?.assumeIsolated { $0.extensionEnded(launch, end) }
                }
            )
        } catch {
            self.logger.error("an extension could not be started", metadata: ["reason": "\(error)"])
            self.feed(.extensionExited(bundle, launch, .neverStarted(0)))
        }
    }

    private func extensionEnded(_ launch: LaunchID, _ end: AppProcess.End) {
        guard let (bundle, process) = self.extensionProcesses.removeValue(forKey: launch) else { return }
        process.cgroup?.remove()
        // What escaped from its group must not speak for it.
        let principal = Principal(bundle: bundle, role: .pushExtension(launch))
        for (client, peer) in self.peers where peer.principal == principal { self.disconnect(client) }
        self.processEnded()
        self.feed(.extensionExited(bundle, launch, Engine.ProcessEnd(end)))
    }

    // MARK: Apps

    /// An app whose process locationd started, or took over.
    struct AppRun {
        let process: AppProcess
        /// How it came, and how it is shown since: it may lose its connection and make another.
        var arrival: Lifecycle.Arrival
        /// Who waits to hear whether it stays.
        var startWaits: [ObjectIdentifier] = []
        /// Who waits to hear of its end.
        var endWaits: [ObjectIdentifier] = []
    }

    /// Starts an app because the engine has something for it.
    func launchApp(_ bundle: BundleID, _ reason: Lifecycle.LaunchReason) {
        do {
            try self.startApp(bundle, arguments: [], .init(phase: .background, isManaged: true, reason: reason))
        } catch {
            self.logger.error("an app could not be started", metadata: ["reason": "\(error)"])
            self.feed(.appExited(bundle, .neverStarted(0)))
        }
    }

    func startApp(
        _ bundle: BundleID,
        arguments: [String],
        _ arrival: Lifecycle.Arrival
    ) throws(DaemonError) {
        let installed = try self.intactApp(bundle)
        guard self.runs[bundle] == nil else { throw DaemonError("\(bundle) runs already") }
        let process = try self.start(
            installed.bundle.executable,
            arguments,
            of: bundle,
            as: Principal(bundle: bundle, role: .app),
            arrival,
            in: self.cgroups?.make("\(CgroupTree.appPrefix)\(bundle.rawValue)")
        ) { [weak self] end in
            self?.assumeIsolated { $0.appEnded(bundle, end) }
        }
        self.runs[bundle] = AppRun(process: process, arrival: arrival)
        self.recordProcesses()
    }

    private func appEnded(_ bundle: BundleID, _ end: AppProcess.End) {
        guard let run = self.runs.removeValue(forKey: bundle) else { return }
        run.process.cgroup?.remove()
        self.recordProcesses()
        // What still speaks for it has escaped from it.
        let principal = Principal(bundle: bundle, role: .app)
        for (client, peer) in self.peers where peer.principal == principal && peer.pid == 0 { self.disconnect(client) }
        self.settle(run, bundle, ended: end)
        self.processEnded()
        self.feed(.appExited(bundle, Engine.ProcessEnd(end)))
    }

    /// Ends an app; SIGKILL after five seconds (as systemd and iOS's watchdog do in kind).
    func terminateApp(_ bundle: BundleID) throws(DaemonError) {
        guard self.bundles.apps[bundle] != nil else { throw self.unknown(bundle) }
        guard let process = self.runs[bundle]?.process else { throw DaemonError("\(bundle) does not run") }
        self.feed(.terminationBegan(bundle, by: .person))
        process.signal(SIGTERM)
        // Stopped, it could not even end.
        self.thaw(bundle)
        let pid = process.pid
        self.executor.queue.asyncAfter(deadline: .now() + 5) { [weak self] in
            self?.assumeIsolated { daemon in
                if let process = daemon.runs[bundle]?.process, process.pid == pid { process.signal(SIGKILL) }
            }
        }
    }

    /// Shows or hides an app, as somebody who sees its screen says.
    func setPhase(_ bundle: BundleID, _ phase: Lifecycle.Phase) throws(DaemonError) {
        guard self.bundles.apps[bundle] != nil else { throw self.unknown(bundle) }
        switch self.engine.status(of: bundle)?.process {
        case .foreground, .headless, .background, .suspended: break
        case .notRunning, nil:
            throw DaemonError("\(bundle) does not run; `locationctl run \(bundle)` starts it")
        }
        self.runs[bundle]?.arrival.phase = phase
        self.recordProcesses()
        self.feed(.phaseChanged(bundle, phase))
    }

    private func start(
        _ executable: String,
        _ arguments: [String],
        of bundle: BundleID,
        as principal: Principal,
        _ arrival: Lifecycle.Arrival,
        in cgroup: Cgroup?,
        ended: @escaping @Sendable (AppProcess.End) -> Void
    ) throws(DaemonError) -> AppProcess {
        let container = self.container(of: bundle)
        try DurableFile.makeDirectory(container + "/tmp")
        let ends: (PacketSocket, PacketSocket)
        do {
            ends = try PacketSocket.pair()
        } catch {
            throw DaemonError(error.description)
        }
        let isExtension = if case .pushExtension = principal.role { true } else { false }
        let pid = try self.launcher.launch(
            ProcessLauncher.Order(
                executable: executable,
                arguments: arguments,
                container: container,
                isExtension: isExtension,
                outputPath: self.outputPath(of: bundle),
                connection: ends.1,
                cgroup: cgroup
            )
        )
        let process = try AppProcess(child: pid, cgroup: cgroup, queue: self.executor.queue, ended: ended)
        // Handed over, so that whoever holds the other end is the process itself, or was given it by it.
        self.connect(ends.0, principal, arrival, pid: 0, user: nil)
        return process
    }

    func outputPath(of bundle: BundleID) -> String {
        "\(self.configuration.stateDirectory)/output/\(bundle.rawValue).log"
    }

    /// The app, whose files must still be those that were installed; if they are not, what was approved is lost.
    func intactApp(_ bundle: BundleID) throws(DaemonError) -> BundleStore.Installed {
        guard self.bundles.apps[bundle] != nil else { throw self.unknown(bundle) }
        if self.bundles.filesChanged(of: bundle), let now = self.bundles.apps[bundle] {
            self.log(bundle, "files-changed", "The app's files changed since it was installed; approvals are lost.")
            let manifest = now.bundle.manifest(approved: now.approved)
            self.feed(.appInstalled(bundle, manifest))
        }
        guard let installed = self.bundles.apps[bundle], installed.isIntact else {
            throw DaemonError("the files of \(bundle) changed since it was installed; install it again")
        }
        return installed
    }

    // MARK: Frozen and thawed

    /// Stops an app's process and all it started; nothing is sent to it until it goes on.
    func freeze(_ bundle: BundleID) {
        for connection in self.appConnections(of: bundle) { connection.hold() }
        self.runs[bundle]?.process.freeze()
    }

    func thaw(_ bundle: BundleID) {
        self.runs[bundle]?.process.thaw()
        for connection in self.appConnections(of: bundle) { connection.release() }
    }

    private func appConnections(of bundle: BundleID) -> [PacketConnection] {
        let principal = Principal(bundle: bundle, role: .app)
        return self.peers.values.filter { $0.principal == principal }.map(\.connection)
    }

    // MARK: Across restarts

    /// Writes down which processes run, if that changed.
    func recordProcesses() {
        let records = self.runs.sorted { $0.key < $1.key }.map { bundle, run in
            ProcessLedger.Record(
                bundle: bundle.rawValue,
                process: run.process.identity,
                cgroup: run.process.cgroup?.directory,
                isForeground: run.arrival.phase == .foreground
            )
        }
        do {
            try self.ledger.save(records)
        } catch {
            self.logger.error("the processes could not be recorded", metadata: ["reason": "\(error)"])
        }
    }

    /// Takes over the apps that an earlier locationd started, and has everything it froze go on.
    func readoptApps() {
        for record in self.ledger.load() {
            let bundle = BundleID(record.bundle)
            let cgroup = record.cgroup.map { Cgroup(directory: $0) }
            let process = AppProcess(
                adopting: record.process,
                cgroup: cgroup,
                queue: self.executor.queue,
                ended: { [weak self] end in self?.assumeIsolated { $0.appEnded(bundle, end) } }
            )
            // Held by its descriptor now, so that its number cannot pass to another while it is looked at.
            if let process, self.bundles.runs(record) {
                // It lost its connection with the locationd that made it, and must run to make another.
                process.thaw()
                let arrival = Lifecycle.Arrival(phase: record.phase, isManaged: true)
                self.runs[bundle] = AppRun(process: process, arrival: arrival)
                self.logger.info("an app is taken over", metadata: ["app": "\(bundle)"])
            } else {
                AppProcess.release(record.process, cgroup: cgroup)
                self.feed(.appExited(bundle, .exited(0)))
            }
        }
        self.cgroups?.sweep()
        self.recordProcesses()
    }
}

extension Engine.ProcessEnd {
    fileprivate init(_ end: AppProcess.End) {
        self =
            switch end {
            case .exited(let status): .exited(status)
            case .signalled(let signal): .signalled(signal)
            // Nobody can tell; it is not held against the app.
            case .unknown: .exited(0)
            }
    }
}
