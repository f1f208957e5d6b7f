internal import Dispatch
internal import Glibc
internal import Synchronization
internal import WhereaboutsCLinux
internal import WhereaboutsNetworkSupport

/// A process of an app or an extension, with all it started, watched through its pidfd: no signal can reach a
/// stranger who got its number.
///
/// This locationd or an earlier one started the process. The daemon's actor owns it, and the handlers run on the actor's
/// queue. The process counts as ended once everything that it started has ended too, or has been given up. The looks at
/// `/proc` that this needs run on a queue of their own.
final class AppProcess {
    /// The end of a process.
    enum End {
        case exited(Int32)
        case signalled(Int32)
        /// Unknown: the process was another process's child.
        case unknown
    }

    let identity: ProcessIdentity
    /// The cgroup that freezes and kills the app with its descendants; nil: signals do, to its process group and to
    /// marked processes.
    let cgroup: Cgroup?
    private let mark: AppMark?
    /// The script that it executes; nil: it is not a script.
    var script: FileIdentity?
    private(set) var isFrozen = false
    /// The processes that are stopped for their mark; nil: an earlier locationd may have stopped some.
    private let stopped: Stopped
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    /// Reads `/proc`, one request after the other.
    private let looks = DispatchQueue(label: "locationd.process", qos: .userInitiated)
    private let reap: () -> Void
    private var wasToldToEnd = false

    /// The stopped processes, which ``AppProcess/looks`` alone reads and writes.
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
    ///   - pid: its number.
    ///   - cgroup: its cgroup.
    ///   - mark: tells what it started and left behind outside of its group and cgroup, which is frozen with it; nil: nothing does.
    ///   - queue: the daemon's.
    ///   - rest: asked on that queue once the process is over, for the processes that must not outlive it.
    ///   - ended: called with the end, and whether all of those have ended too.
    /// - Throws: ``DaemonError`` when it cannot be watched.
    convenience init(
        child pid: pid_t,
        cgroup: Cgroup?,
        mark: AppMark? = nil,
        queue: DispatchQueue,
        rest: (@Sendable () -> AppProcesses)? = nil,
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
        rest: (@Sendable () -> AppProcesses)? = nil,
        ended: @escaping @Sendable (End, _ isWhole: Bool) -> Void
    ) {
        // Opened before it is compared: between the two, its number could pass to another process.
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
        rest: (@Sendable () -> AppProcesses)?,
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
            let rest = rest?() ?? AppProcesses(cgroup: cgroup, mark: mark)
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

    /// Waits for a process that has ended, and kills its group; nil: it has not ended.
    private static func end(of pid: pid_t, isChild: Bool) -> End? {
        guard isChild else { return .unknown }
        // Until the process is waited for, no other group can have its number.
        Glibc.kill(-pid, SIGKILL)
        var status: Int32 = 0
        guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return nil }
        return clinux_exited(status) != 0 ? .exited(clinux_exit_status(status)) : .signalled(clinux_term_signal(status))
    }

    /// Records the end of a child before its descriptor reports it.
    func endedAsChild() { self.reap() }

    /// Ends an extension through its supervisor, which ends its descendants; the second time by force.
    func endSupervised() {
        guard !self.source.isCancelled else { return }
        guard self.wasToldToEnd else {
            self.wasToldToEnd = true
            _ = clinux_pidfd_send_signal(self.descriptor, SIGTERM)
            return
        }
        // The supervisor was stopped, perhaps by its extension; signal it directly.
        let identity = self.identity
        self.looks.async {
            ProcessTree.killDescendants(of: identity.pid)
            identity.signal(SIGKILL)
        }
    }

    /// Signals the process and the group it leads.
    func signal(_ number: Int32) {
        guard !self.source.isCancelled else { return }
        self.signalGroup(number)
        _ = clinux_pidfd_send_signal(self.descriptor, number)
    }

    private func signalGroup(_ number: Int32) {
        // While the leader lives, or is a zombie, the kernel gives its number to no other group.
        guard clinux_pidfd_send_signal(self.descriptor, 0) == 0 else { return }
        Glibc.kill(-self.pid, number)
    }

    /// Stops the process and all it started, until ``thaw()``.
    func freeze() {
        guard !self.isFrozen, !self.source.isCancelled else { return }
        self.isFrozen = true
        if let cgroup = self.cgroup, cgroup.freeze() { return }
        self.signalGroup(SIGSTOP)
        guard let mark = self.mark else { return }
        self.looks.async { [stopped] in stopped.processes.withLock { $0 = mark.stop() } }
    }

    /// Resumes the process and its descendants, however an earlier locationd froze them.
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
        // A reused number would lead a process group of its own; without such a leader, the remaining processes of the group are ours.
        let current = ProcessIdentity(pid: identity.pid)
        if current == nil || current == identity { Glibc.kill(-identity.pid, SIGCONT) }
    }
}
