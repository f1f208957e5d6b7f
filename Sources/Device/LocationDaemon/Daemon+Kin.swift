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

/// Keeps apps away from the owner's sockets, as far as one user's processes can be distinguished (ADR 0039).
extension Daemon {
    /// Whether the peer may give orders and answer prompts: locationd's user, root, or a member of the owners' group, but no app's process.
    ///
    /// The socket's mode also checks the user and group, unless polkit is used. This check holds even if the mode was changed.
    func isOwners(_ socket: PacketSocket) -> Bool {
        guard let peer = socket.peer, self.owns(socket, peer.uid), !self.isOfApp(peer.pid) else {
            self.refuseOwner(socket.peer?.pid, socket.peer?.uid)
            return false
        }
        return true
    }

    /// Counts a process that was refused at the owner's sockets.
    func refuseOwner(_ pid: Int32?, _ user: uid_t?) {
        self.bounds.warn(
            .ownersRefused,
            "a process was kept from the owner's sockets",
            ProcessTree.metadata(of: pid, user)
        )
    }

    func owns(_ socket: PacketSocket, _ user: uid_t) -> Bool {
        if user == geteuid() || user == 0 { return true }
        guard let group = self.configuration.ownersGroup, !self.isAppsUser(user) else { return false }
        return socket.peerGroups.contains(group)
    }

    /// Whether a process belongs to an app, or was started by one.
    ///
    /// A process that has ended counts as an app's. A process may forbid memory dumps, as `locationd-geoclue` and key agents do. Only root
    /// can then see its program, but its parents, cgroup and mark stay visible and decide (ADR 0082).
    func isOfApp(_ pid: Int32) -> Bool {
        if pid == getpid() { return false }
        guard let kin = ProcessTree.kin(of: pid) else { return true }
        if let executable = FileIdentity(ofFileAt: "/proc/\(pid)/exe") {
            if self.bundles.apps.values.contains(where: { $0.executable == executable }) { return true }
        } else if errno != EACCES {
            return true
        }
        // Every other child of locationd is an app, or an orphan of an app that locationd adopted.
        if kin.contains(getpid()) { return true }
        let apps = self.runs.values.map(\.pid) + self.extensionProcesses.values.map(\.process.pid)
        if apps.contains(where: { kin.contains($0) }) || self.cgroups?.holds(pid) == true { return true }
        // Only the mark identifies a process that an app of an earlier locationd left behind.
        return self.marks != nil && ProcessMarks.isMarked(pid)
    }

    /// Makes locationd the parent of apps' orphans, so that an orphan is still recognized as an app's process.
    ///
    /// Call this only in a process that runs nothing but locationd: it waits for every child of the process.
    public func adoptOrphans() {
        guard clinux_adopt_orphans() == 0, self.orphans == nil else { return }
        let source = DispatchSource.makeSignalSource(signal: SIGCHLD, queue: self.executor.queue)
        source.setEventHandler { [weak self] in self?.assumeIsolated { $0.reapOrphans() } }
        source.activate()
        self.orphans = source
    }

    /// The most ended processes to reap at once, so that an app that leaves many of them does not block the queue.
    static let orphansMax = 64

    /// Reaps ended children: a watched process through its watcher, an adopted orphan here.
    func reapOrphans() {
        guard self.orphans != nil else { return }
        let own = Dictionary(
            (Array(self.runs.values) + self.extensionProcesses.values.map(\.process)
                + self.polkit.processes).map { ($0.pid, $0) }
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
        self.executor.queue.async { [weak self] in self?.assumeIsolated { $0.reapOrphans() } }
    }

    /// Ends an app that leaves more ended processes to locationd than it may: chains of forks take the processors from everyone.
    private func orphanEnded(of user: uid_t) {
        guard let bundle = self.appUsers?.bundle(of: user) else { return }
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
        self.runs[bundle]?.signal(SIGKILL)
        for run in self.extensionProcesses.values where run.bundle == bundle && !run.process.isOver {
            run.process.endSupervised()
        }
    }
}
