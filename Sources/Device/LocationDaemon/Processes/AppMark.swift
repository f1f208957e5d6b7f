internal import Glibc

/// The mark of an app's processes, or of its extension's (ADR 0090).
struct AppMark: Sendable, Hashable {
    /// Those of the locationd that gave it.
    let marks: ProcessMarks
    /// The limit that the processes have.
    let value: UInt64

    /// The running processes that have it.
    var processes: Set<ProcessIdentity> { self.marks.processes { $0 == self.value } }

    /// Kills all processes that have it.
    func kill() { self.marks.kill { $0 == self.value } }

    /// Stops all processes that have it.
    ///
    /// - Returns: those that ``resume(_:)`` takes.
    func stop() -> Set<ProcessIdentity> { self.marks.stop { $0 == self.value } }

    /// Has processes that were stopped go on; nil: all that have the mark.
    func resume(_ stopped: Set<ProcessIdentity>?) {
        for process in stopped ?? self.processes { process.signal(SIGCONT) }
    }
}
