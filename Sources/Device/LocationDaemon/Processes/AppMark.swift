internal import Glibc

/// The mark of an app's processes, or of its extension's (ADR 0090).
struct AppMark: Sendable, Hashable {
    /// Those of the locationd that gave it.
    let marks: ProcessMarks
    /// The limit that the processes have.
    let value: UInt64

    /// Kills all processes that have it.
    func kill() { self.marks.kill { $0 == self.value } }

    /// Stops all processes that have it.
    ///
    /// - Returns: those that ``resume(_:)`` takes.
    func stop() -> Set<ProcessIdentity> { self.marks.stop { $0 == self.value } }

    /// Has processes that were stopped go on; nil: all that have the mark.
    func resume(_ stopped: Set<ProcessIdentity>?) {
        for process in stopped ?? self.marks.processes(where: { $0 == self.value })
        where ProcessIdentity(pid: process.pid) == process { Glibc.kill(process.pid, SIGCONT) }
    }
}
