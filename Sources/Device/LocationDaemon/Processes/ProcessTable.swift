internal import Dispatch
internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsCLinux
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// The processes of apps and extensions: started, frozen, thawed, ended, and adopted from an earlier locationd.
///
/// An app has ended once nothing that it started is left (ADR 0019). Used only on the daemon's queue.
final class ProcessTable {
    /// An extension's process, and the app it belongs to.
    private struct ExtensionRun {
        let bundle: BundleID
        let process: AppProcess
    }

    /// The running removals of an app's processes.
    private struct Sweep {
        var count = 0
        /// The starts that wait until the removals end: killing all processes of the app's user would kill a new one, too.
        var waiting: [() -> Void] = []
    }

    /// The maximum number of ended processes to reap at once, so that an app that leaves many of them does not block the queue.
    static let orphansMax = 64

    private let folders: AppFolders
    private let bounds: BoundLog
    private let logger: Logger
    private let reach: Reach<ProcessTable>
    private let launcher: ProcessLauncher
    private let cgroups: CgroupTree?
    /// The marks of apps' processes; nil: marks cannot be used on this machine.
    private let marks: ProcessMarks?
    private var ledger: ProcessLedger
    /// The running app processes that locationd started or adopted.
    private var apps: [BundleID: AppProcess] = [:]
    private var extensions: [LaunchID: ExtensionRun] = [:]
    /// The running removals of apps' processes.
    private var sweeps: [BundleID: Sweep] = [:]
    /// The apps with processes that do not end.
    private var survivedBy: Set<BundleID> = []
    /// Reports the ends of child processes, if this process adopts orphans.
    private var orphans: (any DispatchSourceSignal)?
    /// The processes that apps may leave behind.
    private var orphanLimit = OrphanLimit()

    /// Prepares to start processes.
    ///
    /// - Parameters:
    ///   - configuration: the launcher and the directories.
    ///   - folders: the folders and users of apps.
    ///   - bounds: counts apps that leave too many processes.
    ///   - logger: receives adopted apps and failures.
    ///   - reach: finds this object for its event handlers.
    /// - Throws: ``DaemonError`` when the configured cgroup cannot be used.
    init(
        _ configuration: DaemonConfiguration,
        folders: AppFolders,
        bounds: BoundLog,
        logger: Logger,
        reach: Reach<ProcessTable>
    ) throws(DaemonError) {
        let state = configuration.stateDirectory
        self.folders = folders
        self.bounds = bounds
        self.logger = logger
        self.reach = reach
        self.ledger = ProcessLedger(path: state + "/processes.json")
        self.cgroups = try CgroupTree.find(configuration.cgroup, state: state)
        self.marks = ProcessMarks(state: state, users: folders.users?.range ?? geteuid()...geteuid())
        self.launcher = ProcessLauncher(
            launcherPath: configuration.launcherPath,
            runtimeDirectory: configuration.runtimeDirectory
        )
    }

    /// Whether cgroups freeze and kill apps.
    var hasCgroups: Bool { self.cgroups != nil }

    /// The apps that an earlier locationd started.
    var recorded: [ProcessLedger.Record] { self.ledger.load() }

    /// Whether locationd started or adopted an app, and has not seen its end.
    func runs(_ bundle: BundleID) -> Bool { self.apps[bundle] != nil }

    func pid(of bundle: BundleID) -> pid_t? { self.apps[bundle]?.pid }

    /// Whether processes of an app do not end.
    func isSurvived(_ bundle: BundleID) -> Bool { self.survivedBy.contains(bundle) }

    // MARK: Started and ended

    /// Starts an app.
    ///
    /// - Returns: the connection that the app inherits.
    func startApp(
        _ bundle: BundleID,
        _ executable: String,
        _ arguments: [String],
        script: FileIdentity?
    ) throws(DaemonError)
        -> PacketSocket
    {
        let (process, socket) = try self.start(
            executable,
            arguments,
            as: Principal(bundle: bundle, role: .app),
            in: self.cgroups?.make("\(CgroupTree.appPrefix)\(bundle.rawValue)"),
            ended: self.appEnded(bundle)
        )
        process.script = script
        self.apps[bundle] = process
        return socket
    }

    /// Starts an extension.
    ///
    /// - Returns: the connection that the extension inherits.
    func startExtension(
        _ launch: LaunchID,
        of bundle: BundleID,
        _ executable: String
    ) throws(DaemonError) -> PacketSocket {
        let (process, socket) = try self.start(
            executable,
            [],
            as: Principal(bundle: bundle, role: .pushExtension(launch)),
            in: self.cgroups?.make("\(CgroupTree.extensionPrefix)\(launch.rawValue)")
        ) { [reach] end, isWhole in
            reach { table in
                table.extensions.removeValue(forKey: launch)?.process.cgroup?.remove()
                table.ended(bundle, isWhole: isWhole)
                table.reach.daemon.feed(.extensionEnded(launch, Engine.ProcessEnd(end)))
            }
        }
        self.extensions[launch] = ExtensionRun(bundle: bundle, process: process)
        return socket
    }

    private func appEnded(_ bundle: BundleID) -> @Sendable (AppProcess.End, Bool) -> Void {
        { [reach] end, isWhole in
            reach { table in
                table.apps.removeValue(forKey: bundle)?.cgroup?.remove()
                table.ended(bundle, isWhole: isWhole)
                table.reach.daemon.feed(.appEnded(bundle, Engine.ProcessEnd(end)))
            }
        }
    }

    private func ended(_ bundle: BundleID, isWhole: Bool) {
        self.appSwept(bundle, isWhole: isWhole)
        self.reach.daemon.childEnded()
    }

    private func start(
        _ executable: String,
        _ arguments: [String],
        as principal: Principal,
        in cgroup: Cgroup?,
        ended: @escaping @Sendable (AppProcess.End, Bool) -> Void
    ) throws(DaemonError) -> (AppProcess, PacketSocket) {
        try self.folders.prepare(principal.bundle)
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
                container: self.folders.container(of: principal.bundle),
                user: self.folders.user(of: principal.bundle),
                isExtension: isExtension,
                outputPath: self.folders.outputPath(of: principal.bundle),
                connection: ends.1,
                cgroup: cgroup,
                mark: self.marks?.mark(of: principal.bundle, isExtension: isExtension).value
            )
        )
        let process = try AppProcess(
            child: pid,
            cgroup: cgroup,
            mark: isExtension ? nil : self.marks?.mark(of: principal.bundle),
            queue: self.reach.daemon.queue,
            rest: self.rest(of: principal.bundle, in: cgroup, isExtension: isExtension),
            ended: ended
        )
        self.orphanLimit.processStarted(of: principal.bundle)
        return (process, ends.0)
    }

    private func rest(
        of bundle: BundleID,
        in cgroup: Cgroup?,
        isExtension: Bool = false
    ) -> @Sendable (AppProcess.End) -> AppProcesses {
        { [reach] end in
            reach { $0.sweepBegins(of: bundle, in: cgroup, extensionEnd: isExtension ? end : nil) }
                ?? AppProcesses(cgroup: cgroup)
        }
    }

    // Thaw the app after the signal: a stopped process cannot end.
    func endApp(_ bundle: BundleID) {
        self.apps[bundle]?.signal(SIGTERM)
        self.thaw(bundle)
    }

    func killApp(_ bundle: BundleID) { self.apps[bundle]?.signal(SIGKILL) }

    func killExtension(_ launch: LaunchID) { self.extensions[launch]?.process.endSupervised() }

    /// Stops an app's process and its descendants.
    func freeze(_ bundle: BundleID) { self.apps[bundle]?.freeze() }

    func thaw(_ bundle: BundleID) { self.apps[bundle]?.thaw() }

    // MARK: Across restarts

    /// Stores the list of running processes, if it changed.
    func record(_ running: [(bundle: BundleID, phase: Lifecycle.Phase)]) {
        let records = running.sorted { $0.bundle < $1.bundle }.compactMap { app in
            self.apps[app.bundle].map { process in
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
    ///
    /// - Parameter bundles: the installed apps.
    /// - Returns: the processes for the core.
    func readoptApps(_ bundles: BundleStore) -> [DeviceCore.Beginning.Process] {
        defer { self.cgroups?.sweep() }
        var spared: Set<BundleID> = []
        let processes = self.ledger.load().map { record in
            let bundle = BundleID(record.bundle)
            let found = self.readopt(bundle, record, bundles)
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
    private func readopt(_ bundle: BundleID, _ record: ProcessLedger.Record, _ bundles: BundleStore) -> Readoption {
        let cgroup = record.cgroup.map { Cgroup(directory: $0) }
        let mark = self.marks?.mark(of: bundle)
        let process = AppProcess(
            adopting: record.process,
            cgroup: cgroup,
            mark: mark,
            queue: self.reach.daemon.queue,
            rest: self.rest(of: bundle, in: cgroup),
            ended: self.appEnded(bundle)
        )
        // The descriptor of `process` is open, so the check below cannot meet another process with the same number.
        if let process, bundles.isLeftBehind(record) {
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
        guard bundles.runs(record) else {
            AppProcess.release(record.process, cgroup: cgroup, mark: mark)
            return .goesOn
        }
        process.script = record.script
        self.apps[bundle] = process
        self.logger.info("locationd continues with an app that was already running", metadata: ["app": "\(bundle)"])
        return .takenOver
    }

    // MARK: Sweeps

    /// Records that a removal of an app's processes begins; the caller must call ``sweepEnded(of:)`` when it has ended.
    ///
    /// - Parameters:
    ///   - bundle: the app.
    ///   - cgroup: the cgroup of the processes.
    ///   - extensionEnd: how the supervisor of the app's extension ended; nil: the app itself has ended.
    /// - Returns: how to find the processes; not by the app's user while another process of the app runs.
    private func sweepBegins(
        of bundle: BundleID,
        in cgroup: Cgroup?,
        extensionEnd: AppProcess.End? = nil
    ) -> AppProcesses {
        self.sweeps[bundle, default: Sweep()].count += 1
        let isSurvived = self.survivedBy.contains(bundle)
        var marks: Set<AppMark> = []
        if extensionEnd == nil || isSurvived && !self.hasProcess(bundle) {
            marks.formUnion(self.marks.map { [$0.mark(of: bundle)] } ?? [])
        }
        // Usually the supervisor has ended its descendants, and a scan for each push would cost much.
        if extensionEnd?.isOfWholeExtension == false || isSurvived, !self.hasExtension(bundle) {
            marks.formUnion(self.marks.map { [$0.mark(of: bundle, isExtension: true)] } ?? [])
        }
        return AppProcesses(
            user: self.hasProcess(bundle) ? nil : self.folders.user(of: bundle),
            cgroup: cgroup,
            marks: marks
        )
    }

    /// Records that a removal of an app's processes has ended, whether or not it succeeded.
    private func sweepEnded(of bundle: BundleID) {
        self.sweeps[bundle]?.count -= 1
        guard let sweep = self.sweeps[bundle], sweep.count == 0 else { return }
        self.sweeps[bundle] = nil
        for start in sweep.waiting { start() }
    }

    /// Records whether the other processes of an ended app or extension have ended, too.
    private func appSwept(_ bundle: BundleID, isWhole: Bool) {
        self.sweepEnded(of: bundle)
        if isWhole {
            // While a process of the app runs, nobody looked for others that have its mark or its user.
            if !self.hasProcess(bundle) { self.survivedBy.remove(bundle) }
        } else {
            self.survivedBy.insert(bundle)
            self.logger.error("processes that an app started do not end", metadata: ["app": "\(bundle)"])
        }
    }

    /// Whether a process of the app's runs.
    private func hasProcess(_ bundle: BundleID) -> Bool {
        self.apps[bundle]?.isOver == false || self.hasExtension(bundle)
    }

    private func hasExtension(_ bundle: BundleID) -> Bool {
        self.extensions.values.contains { $0.bundle == bundle && !$0.process.isOver }
    }

    /// Ends all processes of an app, and continues when they have ended or cannot be ended.
    func endAll(of bundle: BundleID, then swept: @escaping @Sendable (_ isWhole: Bool) -> Void) {
        var processes = self.sweepBegins(of: bundle, in: self.apps[bundle]?.cgroup)
        processes.user = self.folders.user(of: bundle)
        let (queue, reach) = (self.reach.daemon.queue, self.reach)
        DispatchQueue.global(qos: .userInitiated).async { [processes] in
            let isWhole = processes.end()
            queue.async {
                // Call this first, so that no waiting start runs an app that is being uninstalled.
                swept(isWhole)
                reach { $0.sweepEnded(of: bundle) }
            }
        }
    }

    /// Starts a process of an app after earlier processes of the app have been removed.
    ///
    /// - Parameters:
    ///   - bundle: the app.
    ///   - start: receives nil, or the error when earlier processes do not end.
    func whenSwept(_ bundle: BundleID, start: @escaping @Sendable (DaemonError?) -> Void) {
        if self.sweeps[bundle] != nil {
            self.sweeps[bundle]?.waiting.append { [reach] in reach { $0.whenSwept(bundle, start: start) } }
            return
        }
        guard let user = self.folders.user(of: bundle), !self.hasProcess(bundle), clinux_user_has_processes(user) == 1
        else { return start(nil) }
        let error = self.endlessProcesses(of: bundle)
        self.endAll(of: bundle) { isWhole in start(isWhole ? nil : error) }
    }

    /// The error when processes of an app do not end.
    func endlessProcesses(of bundle: BundleID) -> DaemonError {
        let list = self.folders.user(of: bundle).map { "`ps -U \($0)` lists them" } ?? "`ps` lists them"
        return DaemonError(
            "processes that \(bundle) started do not end, perhaps because they wait for a disk; \(list). Try again later"
        )
    }

    // MARK: The daemon's own begin and end

    /// Ends processes of apps that are left from an earlier locationd, except those of `spared` apps.
    private func endStrays(but spared: Set<BundleID>) {
        for (bundle, user) in self.folders.users?.numbers ?? [:]
        where !spared.contains(bundle) && clinux_user_has_processes(user) == 1 {
            if !AppProcesses(user: user).end() {
                self.logger.error("processes that an app started do not end", metadata: ["app": "\(bundle)"])
            }
        }
    }

    /// Ends all remaining app processes before the daemon ends.
    func endAllApps(then ended: @escaping @Sendable () -> Void) {
        let (users, marks) = (
            self.folders.users?.numbers.values.filter { clinux_user_has_processes($0) == 1 }, self.marks
        )
        let queue = self.reach.daemon.queue
        DispatchQueue.global(qos: .userInitiated).async {
            if let users {
                // Kill the processes of all users first, so that the waits for slow ends overlap.
                for user in users { clinux_kill_user(user) }
                for user in users where clinux_user_has_processes(user) == 1 { _ = AppProcesses(user: user).end() }
            } else {
                _ = marks?.killAll(but: [])
            }
            queue.async { ended() }
        }
    }

    // MARK: Orphans

    /// Whether a process belongs to an app, or was started by one.
    ///
    /// A process that has ended counts as an app's. A process may forbid memory dumps, as `locationd-geoclue` and key agents do. Only root
    /// can then see its program, but its parents, cgroup and mark stay visible and decide (ADR 0082).
    ///
    /// - Parameters:
    ///   - pid: the process.
    ///   - bundles: the installed apps.
    /// - Returns: whether it does.
    func isOfApp(_ pid: Int32, _ bundles: BundleStore) -> Bool {
        if pid == getpid() { return false }
        guard let kin = ProcessTree.kin(of: pid) else { return true }
        if let executable = FileIdentity(ofFileAt: "/proc/\(pid)/exe") {
            if bundles.apps.values.contains(where: { $0.executable == executable }) { return true }
        } else if errno != EACCES {
            return true
        }
        // Every other child of locationd is an app, or an orphan of an app that locationd adopted.
        if kin.contains(getpid()) { return true }
        let apps = self.apps.values.map(\.pid) + self.extensions.values.map(\.process.pid)
        if apps.contains(where: { kin.contains($0) }) || self.cgroups?.holds(pid) == true { return true }
        // Only the mark identifies a process that an app of an earlier locationd left behind.
        return self.marks != nil && ProcessMarks.isMarked(pid)
    }

    /// Makes locationd the parent of apps' orphans, so that an orphan is still recognized as an app's process.
    func adoptOrphans() {
        guard clinux_adopt_orphans() == 0, self.orphans == nil else { return }
        let source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: self.reach.daemon.queue)
        source.setEventHandler { [reach] in reach.daemon.childEnded() }
        source.activate()
        self.orphans = source
    }

    /// Reaps ended children: a watched process through its watcher, an adopted orphan here.
    ///
    /// - Parameter others: the watched children that belong to no app.
    func reapOrphans(besides others: [AppProcess]) {
        guard self.orphans != nil else { return }
        let own = Dictionary(
            (Array(self.apps.values) + self.extensions.values.map(\.process) + others).map { ($0.pid, $0) }
        ) { $1 }
        for _ in 0..<Self.orphansMax {
            var user: uid_t = 0
            let pid = unsafe clinux_ended_child(&user)
            guard pid > 0 else { return }
            // The kernel names the same child again until it is reaped.
            if let process = own[pid], !process.isOver {
                process.endedAsChild()
            } else {
                var status: Int32 = 0
                guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return }
                self.orphanEnded(of: user)
            }
        }
        self.reach.daemon.queue.async { [reach] in reach.daemon.childEnded() }
    }

    /// Ends an app that leaves more ended processes to locationd than it may: chains of forks take the processors from everyone.
    private func orphanEnded(of user: uid_t) {
        guard let bundle = self.folders.users?.bundle(of: user) else { return }
        // During a sweep, the processes that end are those of an app that has ended.
        let isRunning = self.sweeps[bundle] == nil && self.hasProcess(bundle)
        switch self.orphanLimit.orphanEnded(of: bundle, isRunning: isRunning, now: Clocks.now().monotonic) {
        case .ignore: return
        case .endApp: self.endForker(bundle)
        }
    }

    private func endForker(_ bundle: BundleID) {
        self.bounds.warn(
            .forkersEnded,
            "an app was ended: it left more than \(OrphanLimit.burst) processes to locationd, faster than one in \(OrphanLimit.interval)",
            ["app": "\(bundle)"]
        )
        self.apps[bundle]?.signal(SIGKILL)
        for run in self.extensions.values where run.bundle == bundle && !run.process.isOver {
            run.process.endSupervised()
        }
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
