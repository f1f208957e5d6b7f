internal import CLinux
internal import Dispatch
internal import Glibc

/// A process locationd started, watched through its pidfd: no signal can reach a stranger who got its number.
///
/// Owned by the daemon's actor; the handler runs on its queue.
final class ChildProcess {
    /// How it ended.
    enum End {
        case exited(Int32)
        case signalled(Int32)
    }

    let pid: pid_t
    private let descriptor: Int32
    private let source: any DispatchSourceRead
    private var wasToldToEnd = false

    init(pid: pid_t, queue: DispatchQueue, ended: @escaping @Sendable (End) -> Void) throws(DaemonError) {
        self.pid = pid
        let descriptor = clinux_pidfd_open(pid)
        guard descriptor >= 0 else {
            throw DaemonError("cannot watch process \(pid): \(unsafe String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var status: Int32 = 0
            guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return }
            source.cancel()
            ended(
                clinux_exited(status) != 0
                    ? .exited(clinux_exit_status(status)) : .signalled(clinux_term_signal(status))
            )
        }
        source.setCancelHandler { close(descriptor) }
        self.source = source
        source.activate()
    }

    /// Ends an extension by way of its supervisor, which ends all it started; the second time by force.
    func endSupervised() {
        _ = clinux_pidfd_send_signal(self.descriptor, self.wasToldToEnd ? SIGKILL : SIGTERM)
        self.wasToldToEnd = true
    }

    /// Signals the process and the group it leads.
    func signal(_ number: Int32) {
        // Not yet waited for, so that neither number can have passed to another process.
        kill(-self.pid, number)
        _ = clinux_pidfd_send_signal(self.descriptor, number)
    }
}
