internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire

/// The processes of apps and extensions: started, frozen, thawed, ended, and adopted from an earlier locationd.
extension Daemon {
    func perform(_ order: DeviceCore.ProcessOrder) {
        switch order {
        case .startApp(let bundle, let arguments, _):
            self.whenSwept(bundle) { $0.startApp(bundle, arguments, fault: $1) }
        // Thaw the app after the signal: a stopped process cannot end.
        case .endApp(let bundle):
            self.runs[bundle]?.signal(SIGTERM)
            self.thaw(bundle)
        case .killApp(let bundle): self.runs[bundle]?.signal(SIGKILL)
        case .freeze(let bundle): self.freeze(bundle)
        case .thaw(let bundle): self.thaw(bundle)
        case .startExtension(let bundle, let launch):
            self.whenSwept(bundle) { $0.startExtension(of: bundle, launch, fault: $1) }
        case .killExtension(let launch): self.extensionProcesses[launch]?.process.endSupervised()
        }
    }

    // MARK: Started and ended

    private func startExtension(of bundle: BundleID, _ launch: LaunchID, fault: DaemonError?) {
        do throws(DaemonError) {
            if let fault { throw fault }
            guard let inside = try self.intactApp(bundle).bundle.pushExtension else {
                throw DaemonError("\(bundle) has no location push service extension")
            }
            let process = try self.start(
                inside.executable,
                [],
                as: Principal(bundle: bundle, role: .pushExtension(launch)),
                in: self.cgroups?.make("\(CgroupTree.extensionPrefix)\(launch.rawValue)")
            ) { [weak self] end, isWhole in
                self?.assumeIsolated { daemon in
                    daemon.extensionProcesses.removeValue(forKey: launch)?.process.cgroup?.remove()
                    daemon.appSwept(bundle, isWhole: isWhole)
                    daemon.reapOrphans()
                    daemon.feed(.extensionEnded(launch, Engine.ProcessEnd(end)))
                }
            }
            self.extensionProcesses[launch] = ExtensionRun(bundle: bundle, process: process)
        } catch {
            self.logger.error("an extension could not be started", metadata: ["reason": "\(error)"])
            self.feed(.extensionEnded(launch, .neverStarted(0)))
        }
    }

    private func startApp(_ bundle: BundleID, _ arguments: [String], fault: DaemonError?) {
        do throws(DaemonError) {
            if let fault { throw fault }
            let installed = try self.intactApp(bundle)
            self.runs[bundle] = try self.start(
                installed.bundle.executable,
                arguments,
                as: Principal(bundle: bundle, role: .app),
                in: self.cgroups?.make("\(CgroupTree.appPrefix)\(bundle.rawValue)"),
                ended: self.appEnded(bundle)
            )
            self.runs[bundle]?.script = self.bundles.script(of: bundle)
            self.feed(.appStarted(bundle))
        } catch {
            self.logger.error("an app could not be started", metadata: ["reason": "\(error)"])
            self.feed(.appNotStarted(bundle, reason: error.description))
        }
    }

    private func appEnded(_ bundle: BundleID) -> @Sendable (AppProcess.End, Bool) -> Void {
        { [weak self] end, isWhole in
            self?.assumeIsolated { daemon in
                daemon.runs.removeValue(forKey: bundle)?.cgroup?.remove()
                daemon.appSwept(bundle, isWhole: isWhole)
                daemon.reapOrphans()
                daemon.feed(.appEnded(bundle, Engine.ProcessEnd(end)))
            }
        }
    }

    private func start(
        _ executable: String,
        _ arguments: [String],
        as principal: Principal,
        in cgroup: Cgroup?,
        ended: @escaping @Sendable (AppProcess.End, Bool) -> Void
    ) throws(DaemonError) -> AppProcess {
        let container = self.container(of: principal.bundle)
        if self.appUsers == nil {
            try StateFile.makeDirectory(container + "/tmp")
        } else {
            try self.giveUser(to: principal.bundle)
        }
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
                user: self.appUsers?.numbers[principal.bundle],
                isExtension: isExtension,
                outputPath: self.outputPath(of: principal.bundle),
                connection: ends.1,
                cgroup: cgroup,
                mark: self.marks?.mark(of: principal.bundle, isExtension: isExtension).value
            )
        )
        let process = try AppProcess(
            child: pid,
            cgroup: cgroup,
            mark: isExtension ? nil : self.marks?.mark(of: principal.bundle),
            queue: self.executor.queue,
            rest: self.rest(of: principal.bundle, in: cgroup, isExtension: isExtension),
            ended: ended
        )
        self.orphanLimit.processStarted(of: principal.bundle)
        // Passed to the process at its start, so that the peer is the process or a descendant.
        self.connect(ends.0, principal, Caller(), process: nil)
        return process
    }

    private func rest(
        of bundle: BundleID,
        in cgroup: Cgroup?,
        isExtension: Bool = false
    ) -> @Sendable (AppProcess.End) -> AppProcesses {
        { [weak self] end in
            self?.assumeIsolated { $0.sweepBegins(of: bundle, in: cgroup, extensionEnd: isExtension ? end : nil) }
                ?? AppProcesses(cgroup: cgroup)
        }
    }

    func outputPath(of bundle: BundleID) -> String {
        "\(self.configuration.stateDirectory)/output/\(bundle.rawValue).log"
    }

    /// Returns the app if its files are unchanged; otherwise revokes its approvals and throws.
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

    /// Stops an app's process and its descendants; packets wait until it resumes.
    private func freeze(_ bundle: BundleID) {
        for connection in self.appConnections(of: bundle) { connection.hold() }
        self.runs[bundle]?.freeze()
    }

    private func thaw(_ bundle: BundleID) {
        self.runs[bundle]?.thaw()
        for connection in self.appConnections(of: bundle) { connection.release() }
    }

    private func appConnections(of bundle: BundleID) -> [PacketConnection] {
        let principal = Principal(bundle: bundle, role: .app)
        return self.peers.values.filter { $0.principal == principal }.map(\.connection)
    }

    // MARK: Across restarts

    /// Stores the list of running processes, if it changed.
    func recordProcesses() {
        let records = self.core.runningApps.sorted { $0.bundle < $1.bundle }.compactMap { app in
            self.runs[app.bundle].map { process in
                ProcessLedger.Record(
                    bundle: app.bundle.rawValue,
                    process: process.identity,
                    script: process.script,
                    cgroup: process.cgroup?.directory,
                    isForeground: app.phase == .foreground
                )
            }
        }
        do {
            try self.ledger.save(records)
        } catch {
            self.logger.error("the processes could not be recorded", metadata: ["reason": "\(error)"])
        }
    }

    /// Adopts the apps that an earlier locationd started, and ends the descendants of apps that ended meanwhile.
    ///
    /// A process that cannot be adopted is left running.
    func readoptApps() -> [DeviceCore.Beginning.Process] {
        defer { self.cgroups?.sweep() }
        var spared: Set<BundleID> = []
        let processes = self.ledger.load().map { record in
            let bundle = BundleID(record.bundle)
            let found = self.readopt(bundle, record)
            if found != .ended { spared.insert(bundle) }
            return DeviceCore.Beginning.Process(bundle: bundle, phase: found == .takenOver ? record.phase : nil)
        }
        self.endStrays(but: spared)
        if let marks = self.marks, case let count = marks.killAll(but: Set(spared.map { marks.mark(of: $0) })),
            count > 0
        {
            self.logger.info("processes that apps left behind are ended", metadata: ["processes": "\(count)"])
        }
        return processes
    }

    /// The fate of a process that an earlier locationd started.
    private enum Readoption {
        /// The process belongs to the app.
        case takenOver
        /// The process continues, but locationd does not treat it as the app.
        case goesOn
        case ended
    }

    /// Adopts an app's process, if it runs and belongs to that app.
    private func readopt(_ bundle: BundleID, _ record: ProcessLedger.Record) -> Readoption {
        let cgroup = record.cgroup.map { Cgroup(directory: $0) }
        let mark = self.marks?.mark(of: bundle)
        let process = AppProcess(
            adopting: record.process,
            cgroup: cgroup,
            mark: mark,
            queue: self.executor.queue,
            rest: self.rest(of: bundle, in: cgroup),
            ended: self.appEnded(bundle)
        )
        // The descriptor of `process` is open, so the check below cannot meet another process with the same number.
        if let process, self.bundles.isLeftBehind(record) {
            // End this process of the earlier version: locationd does not serve it, and it would write to the new version's files.
            process.signal(SIGKILL)
            cgroup?.kill()
            self.logger.info("an app of an earlier version is ended", metadata: ["app": "\(bundle)"])
            return .ended
        }
        guard let process else {
            // The app ended while no locationd ran, so its descendants still run.
            cgroup?.kill()
            AppProcess.release(record.process, cgroup: cgroup)
            return .ended
        }
        guard self.bundles.runs(record) else {
            AppProcess.release(record.process, cgroup: cgroup, mark: mark)
            return .goesOn
        }
        process.script = record.script
        self.runs[bundle] = process
        self.logger.info("locationd continues with an app that was already running", metadata: ["app": "\(bundle)"])
        return .takenOver
    }
}

extension Engine.ProcessEnd {
    fileprivate init(_ end: AppProcess.End) {
        self =
            switch end {
            case .exited(let status): .exited(status)
            case .signalled(let signal): .signalled(signal)
            // The cause is unknown, so it does not count against the app.
            case .unknown: .exited(0)
            }
    }
}
