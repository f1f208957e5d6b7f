internal import WhereaboutsNetworkSupport

/// The process at the other end of a connection, and its program.
struct PeerProcess: Hashable {
    let identity: ProcessIdentity
    let executable: FileIdentity

    /// Looks up a process; nil when it has ended.
    init?(pid: Int32) {
        guard let identity = ProcessIdentity(pid: pid), let executable = try? FileIdentity(path: "/proc/\(pid)/exe")
        else { return nil }
        self.identity = identity
        self.executable = executable
    }

    /// Whether the process still runs the same program: its number may be reused, or its program replaced.
    var isUnchanged: Bool { PeerProcess(pid: self.identity.pid) == self }
}
