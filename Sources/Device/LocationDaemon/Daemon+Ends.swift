internal import Dispatch
internal import Glibc
internal import Logging
internal import WhereaboutsCLinux
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// The ends of apps: an app has ended once nothing that it started is left (ADR 0019).
extension Daemon {
    /// An extension's process, and the app it belongs to.
    struct ExtensionRun {
        let bundle: BundleID
        let process: AppProcess
    }

    /// The running removals of an app's processes.
    struct Sweep {
        var count = 0
        /// The starts that wait until the removals end: killing all processes of the app's user would kill a new one, too.
        var waiting: [@Sendable (isolated Daemon) -> Void] = []
    }

    // MARK: Sweeps

    /// Records that a removal of an app's processes begins; the caller must call ``sweepEnded(of:)`` when it has ended.
    ///
    /// - Parameters:
    ///   - bundle: the app.
    ///   - cgroup: the cgroup of the processes.
    ///   - extensionEnd: how the supervisor of the app's extension ended; nil: the app itself has ended.
    /// - Returns: how to find the processes; not by the app's user while another process of the app runs.
    func sweepBegins(
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
            user: self.hasProcess(bundle) ? nil : self.appUsers?.numbers[bundle],
            cgroup: cgroup,
            marks: marks
        )
    }

    /// Records that a removal of an app's processes has ended, whether or not it succeeded.
    func sweepEnded(of bundle: BundleID) {
        self.sweeps[bundle]?.count -= 1
        guard let sweep = self.sweeps[bundle], sweep.count == 0 else { return }
        self.sweeps[bundle] = nil
        for start in sweep.waiting { start(self) }
    }

    /// Records whether the other processes of an ended app or extension have ended, too.
    func appSwept(_ bundle: BundleID, isWhole: Bool) {
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
    func hasProcess(_ bundle: BundleID) -> Bool {
        self.runs[bundle]?.isOver == false || self.hasExtension(bundle)
    }

    private func hasExtension(_ bundle: BundleID) -> Bool {
        self.extensionProcesses.values.contains { $0.bundle == bundle && !$0.process.isOver }
    }

    /// Ends all processes of an app, and continues when they have ended or cannot be ended.
    func endAll(of bundle: BundleID, then swept: @escaping @Sendable (isolated Daemon, _ isWhole: Bool) -> Void) {
        var processes = self.sweepBegins(of: bundle, in: self.runs[bundle]?.cgroup)
        processes.user = self.appUsers?.numbers[bundle]
        let queue = self.executor.queue
        DispatchQueue.global(qos: .userInitiated).async { [processes] in
            let isWhole = processes.end()
            queue.async { [weak self] in
                self?.assumeIsolated { daemon in
                    // Call this first, so that no waiting start runs an app that is being uninstalled.
                    swept(daemon, isWhole)
                    daemon.sweepEnded(of: bundle)
                }
            }
        }
    }

    /// Starts a process of an app after earlier processes of the app have been removed.
    ///
    /// - Parameters:
    ///   - bundle: the app.
    ///   - start: receives nil, or the error when earlier processes do not end.
    func whenSwept(_ bundle: BundleID, start: @escaping @Sendable (isolated Daemon, DaemonError?) -> Void) {
        if self.sweeps[bundle] != nil {
            self.sweeps[bundle]?.waiting.append { $0.whenSwept(bundle, start: start) }
            return
        }
        guard let user = self.appUsers?.numbers[bundle], !self.hasProcess(bundle), clinux_user_has_processes(user) == 1
        else { return start(self, nil) }
        self.endAll(of: bundle) { $1 ? start($0, nil) : start($0, Self.endlessProcesses(of: bundle, user: user)) }
    }

    /// The error when processes of an app do not end.
    static func endlessProcesses(of bundle: BundleID, user: uid_t?) -> DaemonError {
        let list = user.map { "`ps -U \($0)` lists them" } ?? "`ps` lists them"
        return DaemonError(
            "processes that \(bundle) started do not end, perhaps because they wait for a disk; \(list). Try again later"
        )
    }

    // MARK: The daemon's own begin and end

    /// Ends processes of apps that are left from an earlier locationd, except those of `spared` apps.
    func endStrays(but spared: Set<BundleID>) {
        for (bundle, user) in self.appUsers?.numbers ?? [:]
        where !spared.contains(bundle) && clinux_user_has_processes(user) == 1 {
            if !AppProcesses(user: user).end() {
                self.logger.error("processes that an app started do not end", metadata: ["app": "\(bundle)"])
            }
        }
    }

    /// Ends all remaining app processes before the daemon ends.
    func endAllApps(then ended: @escaping @Sendable (isolated Daemon) -> Void) {
        let (users, marks) = (self.appUsers?.numbers.values.filter { clinux_user_has_processes($0) == 1 }, self.marks)
        let queue = self.executor.queue
        DispatchQueue.global(qos: .userInitiated).async {
            if let users {
                // Kill the processes of all users first, so that the waits for slow ends overlap.
                for user in users { clinux_kill_user(user) }
                for user in users where clinux_user_has_processes(user) == 1 { _ = AppProcesses(user: user).end() }
            } else {
                _ = marks?.killAll(but: [])
            }
            queue.async { [weak self] in self?.assumeIsolated { ended($0) } }
        }
    }
}
