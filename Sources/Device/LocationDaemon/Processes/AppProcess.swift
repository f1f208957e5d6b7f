internal import Dispatch
internal import Glibc
internal import Synchronization
internal import WhereaboutsCLinux
internal import WhereaboutsNetworkSupport

/// A process of an app or an extension, with all processes that it started.
///
/// locationd watches and signals it through its pidfd, so that a signal cannot reach another process with a reused number. This locationd
/// or an earlier one started it. The daemon's actor owns it, and handlers run on the actor's queue; scans of `/proc` run on a queue of
/// their own. It has ended when all that it started has ended, or could not be ended in time.
final class AppProcess {
    /// The end of a process.
    enum End {
        case exited(Int32)
        case signalled(Int32)
        /// Unknown: the process is not a child of this locationd.
        case unknown

        /// The status of a supervisor that could not end all processes of its extension (supervisor.c).
        private static let processesLeft: Int32 = 124

        /// Whether this end of a supervisor shows that all processes of its extension have ended.
        ///
        /// A supervisor that a signal ended may have been killed by its extension.
        var isOfWholeExtension: Bool {
            if case .exited(let status) = self { status != Self.processesLeft } else { false }
        }
    }

    let identity: ProcessIdentity
    /// The cgroup that freezes and kills the app with its descendants; nil: signals to its process group and to marked
    /// processes are used instead.
    let cgroup: Cgroup?
    private let mark: AppMark?
    /// The script that the process executes; nil: its executable is not a script.
    var script: FileIdentity?
    private(set) var isFrozen = false
    /// The processes that were stopped because of their mark; nil: unknown, because an earlier locationd stopped them.
    private let stopped: Stopped
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    /// Runs the scans of `/proc`, one after the other.
    private let looks = DispatchQueue(label: "locationd.process", qos: .userInitiated)
    private let reap: () -> Void
    private var wasToldToEnd = false

    /// The stopped processes; only code on ``AppProcess/looks`` uses them.
    private final class Stopped: Sendable {
        let processes: Mutex<Set<ProcessIdentity>?>
        init(_ processes: Set<ProcessIdentity>?) { self.processes = Mutex(processes) }
    }

    var pid: pid_t { self.identity.pid }
    /// Whether the process itself has ended; its descendants may still run.
    var isOver: Bool { self.source.isCancelled }

    /// Watches a process that locationd just started.
    ///
    /// - Parameters:
    ///   - pid: the process's number.
    ///   - cgroup: the process's cgroup.
    ///   - mark: identifies descendants outside of its group and cgroup, which are frozen, too; nil: marks are not used.
    ///   - queue: the daemon's queue.
    ///   - rest: called on that queue after the process has ended; returns how to find the processes that must end with it, given how
    ///     it ended.
    ///   - ended: receives how the process ended, and whether all of those processes have ended, too.
    /// - Throws: ``DaemonError`` when the process cannot be watched.
    convenience init(
        child pid: pid_t,
        cgroup: Cgroup?,
        mark: AppMark? = nil,
        queue: DispatchQueue,
        rest: (@Sendable (End) -> AppProcesses)? = nil,
        ended: @escaping @Sendable (End, _ isWhole: Bool) -> Void
    ) throws(DaemonError) {
        // The process is not reaped yet, so its number is not reused even if it has ended.
        let identity = ProcessIdentity(pid: pid) ?? ProcessIdentity(ended: pid)
        guard let descriptor = Self.open(pid) else {
            throw DaemonError("cannot watch process \(pid): \(unsafe String(cString: strerror(errno)))")
        }
        self.init(identity, cgroup, mark, descriptor, queue, isChild: true, rest: rest, ended: ended)
    }

    /// Adopts a process that an earlier locationd started; nil when it has ended, or its number was reused.
    convenience init?(
        adopting identity: ProcessIdentity,
        cgroup: Cgroup?,
        mark: AppMark? = nil,
        queue: DispatchQueue,
        rest: (@Sendable (End) -> AppProcesses)? = nil,
        ended: @escaping @Sendable (End, _ isWhole: Bool) -> Void
    ) {
        // Open the descriptor before the comparison: afterwards the number could pass to another process.
        guard let descriptor = Self.open(identity.pid) else { return nil }
        guard ProcessIdentity(pid: identity.pid) == identity else {
            close(descriptor)
            return nil
        }
        self.init(identity, cgroup, mark, descriptor, queue, isChild: false, rest: rest, ended: ended)
    }

    deinit {
        self.source.cancel()
    }

    private static func open(_ pid: pid_t) -> Int32? {
        let descriptor = clinux_pidfd_open(pid)
        return descriptor >= 0 ? descriptor : nil
    }

    private init(
        _ identity: ProcessIdentity,
        _ cgroup: Cgroup?,
        _ mark: AppMark?,
        _ descriptor: Int32,
        _ queue: DispatchQueue,
        isChild: Bool,
        rest: (@Sendable (End) -> AppProcesses)?,
        ended: @escaping @Sendable (End, _ isWhole: Bool) -> Void
    ) {
        self.identity = identity
        self.cgroup = cgroup
        self.mark = mark
        self.stopped = Stopped(isChild ? [] : nil)
        self.descriptor = descriptor
        let looks = self.looks
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        self.reap = {
            guard !source.isCancelled, let end = Self.end(of: identity.pid, isChild: isChild) else { return }
            source.cancel()
            let rest = rest?(end) ?? AppProcesses(cgroup: cgroup, marks: mark.map { [$0] } ?? [])
            if rest.isEmpty { return ended(end, true) }
            looks.async {
                let isWhole = rest.end()
                queue.async { ended(end, isWhole) }
            }
        }
        source.setEventHandler(handler: self.reap)
        source.setCancelHandler { close(descriptor) }
        self.source = source
        source.activate()
    }

    /// Kills the group of a process that has ended, and reaps the process; nil: it has not ended.
    private static func end(of pid: pid_t, isChild: Bool) -> End? {
        guard isChild else { return .unknown }
        // No other group can have this number before the process is reaped.
        Glibc.kill(-pid, SIGKILL)
        var status: Int32 = 0
        guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return nil }
        return clinux_exited(status) != 0 ? .exited(clinux_exit_status(status)) : .signalled(clinux_term_signal(status))
    }

    /// Reaps a child that has ended, even if its descriptor has not reported the end yet.
    func endedAsChild() { self.reap() }

    /// Ends an extension through its supervisor, which ends its descendants; a second call kills them all.
    func endSupervised() {
        guard !self.source.isCancelled else { return }
        guard self.wasToldToEnd else {
            self.wasToldToEnd = true
            _ = clinux_pidfd_send_signal(self.descriptor, SIGTERM)
            return
        }
        // The supervisor did not end, perhaps because its extension stopped it.
        let identity = self.identity
        self.looks.async {
            ProcessTree.killDescendants(of: identity.pid)
            identity.signal(SIGKILL)
        }
    }

    /// Sends a signal to the process and to the process group that it leads.
    func signal(_ number: Int32) {
        guard !self.source.isCancelled else { return }
        self.signalGroup(number)
        _ = clinux_pidfd_send_signal(self.descriptor, number)
    }

    private func signalGroup(_ number: Int32) {
        // While the leader runs or is a zombie, the kernel gives its number to no other group.
        guard clinux_pidfd_send_signal(self.descriptor, 0) == 0 else { return }
        Glibc.kill(-self.pid, number)
    }

    /// Stops the process and its descendants until ``thaw()``.
    func freeze() {
        guard !self.isFrozen, !self.source.isCancelled else { return }
        self.isFrozen = true
        if let cgroup = self.cgroup, cgroup.freeze() { return }
        self.signalGroup(SIGSTOP)
        guard let mark = self.mark else { return }
        self.looks.async { [stopped] in stopped.processes.withLock { $0 = mark.stop() } }
    }

    /// Resumes the process and its descendants, also if an earlier locationd froze them in another way.
    func thaw() {
        guard !self.source.isCancelled else { return }
        self.isFrozen = false
        self.cgroup?.thaw()
        self.signalGroup(SIGCONT)
        guard let mark = self.mark else { return }
        self.looks.async { [stopped] in
            stopped.processes.withLock {
                mark.resume($0)
                $0 = []
            }
        }
    }

    /// Resumes processes that an earlier locationd froze and that cannot be adopted.
    static func release(_ identity: ProcessIdentity, cgroup: Cgroup?, mark: AppMark? = nil) {
        cgroup?.thaw()
        mark?.resume(nil)
        // If the number is reused, another process may lead a group with it. Otherwise the group contains only our processes.
        let current = ProcessIdentity(pid: identity.pid)
        if current == nil || current == identity { Glibc.kill(-identity.pid, SIGCONT) }
    }
}
