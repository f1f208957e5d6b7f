internal import Glibc

/// The mark of an app's processes, or of its extension's (ADR 0006).
struct AppMark: Sendable, Hashable {
    /// The marks of the locationd that set this one.
    let marks: ProcessMarks
    /// The value of the processes' limit (``ProcessMarks``).
    let value: UInt64

    /// The running processes with the mark.
    var processes: Set<ProcessIdentity> { self.marks.processes { $0 == self.value } }

    /// Kills all processes with the mark.
    func kill() { self.marks.kill { $0 == self.value } }

    /// Stops all processes with the mark.
    ///
    /// - Returns: the stopped processes, for ``resume(_:)``.
    func stop() -> Set<ProcessIdentity> { self.marks.stop { $0 == self.value } }

    /// Resumes stopped processes; nil: all processes with the mark.
    func resume(_ stopped: Set<ProcessIdentity>?) {
        for process in stopped ?? self.processes { process.signal(SIGCONT) }
    }
}
