internal import WhereaboutsNetworkSupport

/// The process at the other end of a connection: which one it is, and which program it runs.
struct PeerProcess: Hashable {
    let identity: ProcessIdentity
    let executable: FileIdentity

    /// Looks a process up; nil when it is gone.
    init?(pid: Int32) {
        guard let identity = ProcessIdentity(pid: pid), let executable = try? FileIdentity(path: "/proc/\(pid)/exe")
        else { return nil }
        self.identity = identity
        self.executable = executable
    }

    /// Whether it is still that process, with that program: a number passes to others, and a program may become another.
    var isUnchanged: Bool { PeerProcess(pid: self.identity.pid) == self }
}
