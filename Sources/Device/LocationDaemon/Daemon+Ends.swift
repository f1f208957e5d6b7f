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

    /// The running removal of an app's processes.
    struct Sweep {
        var count = 0
        /// The starts of processes that wait: a kill by the app's user would reach them too.
        var waiting: [@Sendable (isolated Daemon) -> Void] = []
    }

    // MARK: Sweeps

    /// Notes that an app's processes are being ended; ``sweepEnded(of:)`` must follow.
    ///
    /// - Returns: what to find them by: by the app's user unless another process of the app's runs on.
    func sweepBegins(of bundle: BundleID, in cgroup: Cgroup?, isExtension: Bool = false) -> AppProcesses {
        self.sweeps[bundle, default: Sweep()].count += 1
        return AppProcesses(
            user: self.hasProcess(bundle) ? nil : self.appUsers?.numbers[bundle],
            cgroup: cgroup,
            // The supervisor of an extension ends its descendants itself, and each push starts an extension.
            mark: isExtension ? nil : self.marks?.mark(of: bundle)
        )
    }

    /// Notes that they have ended, or do not end.
    func sweepEnded(of bundle: BundleID) {
        self.sweeps[bundle]?.count -= 1
        guard let sweep = self.sweeps[bundle], sweep.count == 0 else { return }
        self.sweeps[bundle] = nil
        for start in sweep.waiting { start(self) }
    }

    /// Records whether an ended app's other processes have ended, too.
    func appSwept(_ bundle: BundleID, isWhole: Bool) {
        self.sweepEnded(of: bundle)
        if isWhole {
            self.survivedBy.remove(bundle)
        } else {
            self.survivedBy.insert(bundle)
            self.logger.error("processes that an app started do not end", metadata: ["app": "\(bundle)"])
        }
    }

    /// Whether a process of the app's runs.
    func hasProcess(_ bundle: BundleID) -> Bool {
        self.runs[bundle]?.isOver == false
            || self.extensionProcesses.values.contains { $0.bundle == bundle && !$0.process.isOver }
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
                    daemon.sweepEnded(of: bundle)
                    swept(daemon, isWhole)
                }
            }
        }
    }

    /// Starts a process of an app once the removal of earlier ones has ended, and none is left.
    ///
    /// - Parameters:
    ///   - bundle: the app.
    ///   - start: called with the reason why it cannot be started; nil: it can.
    func whenSwept(_ bundle: BundleID, start: @escaping @Sendable (isolated Daemon, DaemonError?) -> Void) {
        if self.sweeps[bundle] != nil {
            self.sweeps[bundle]?.waiting.append { $0.whenSwept(bundle, start: start) }
            return
        }
        guard let user = self.appUsers?.numbers[bundle], !self.hasProcess(bundle), clinux_user_has_processes(user) == 1
        else { return start(self, nil) }
        self.endAll(of: bundle) { $1 ? start($0, nil) : start($0, Self.endlessProcesses(of: bundle, user: user)) }
    }

    /// The error that processes of an app do not end.
    static func endlessProcesses(of bundle: BundleID, user: uid_t?) -> DaemonError {
        let list = user.map { "`ps -U \($0)` lists them" } ?? "`ps` lists them"
        return DaemonError(
            "processes that \(bundle) started do not end, perhaps because they wait for a disk; \(list). Try again later"
        )
    }

    // MARK: The daemon's own begin and end

    /// Ends processes that apps left while no locationd ran, except those of `spared` apps.
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
                // All at once first: the waits for stubborn ones must not add up.
                for user in users { clinux_kill_user(user) }
                for user in users where clinux_user_has_processes(user) == 1 { _ = AppProcesses(user: user).end() }
            } else {
                _ = marks?.killAll(but: [])
            }
            queue.async { [weak self] in self?.assumeIsolated { ended($0) } }
        }
    }
}
