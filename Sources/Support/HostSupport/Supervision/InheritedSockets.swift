internal import Glibc

/// The listening sockets that a supervisor opened before it started this process, so that early clients are not
/// refused: sd_listen_fds(3), and systemd's `.socket` units.
package struct InheritedSockets: Sendable, Hashable {
    /// The descriptor of the first socket; the others follow it (`SD_LISTEN_FDS_START`).
    static let first: Int32 = 3
    /// The maximum number of sockets; more are a mistake in a unit, because no program here has that many listeners.
    static let socketsMax = 16

    /// The descriptors, by the names that the units give them (`FileDescriptorName=`).
    package let descriptors: [String: Int32]

    /// Finds the inherited sockets, and hides them from child processes.
    ///
    /// - Parameters:
    ///   - environment: `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`.
    ///   - process: the number of this process; sockets for another process are ignored.
    ///   - names: the names that this program knows.
    /// - Throws: ``InheritedSocketFailure`` when a socket has an unknown name or no name, so that no listener would use it.
    package init(
        environment: [String: String],
        process: Int32,
        names: Set<String>
    ) throws(InheritedSocketFailure) {
        guard environment["LISTEN_PID"] == "\(process)", let text = environment["LISTEN_FDS"] else {
            self.descriptors = [:]
            return
        }
        guard let count = Int(text), (0...Self.socketsMax).contains(count) else {
            throw InheritedSocketFailure("LISTEN_FDS is '\(text)': it must be 0 to \(Self.socketsMax)")
        }
        let given = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var descriptors: [String: Int32] = [:]
        for number in 0..<count {
            let name = number < given.count ? String(given[number]) : ""
            guard names.contains(name), descriptors[name] == nil else {
                throw InheritedSocketFailure(
                    "the socket '\(name)' is unknown, or is given twice; FileDescriptorName= of a socket unit "
                        + "must be one of \(names.sorted().joined(separator: ", "))"
                )
            }
            descriptors[name] = Self.first + Int32(number)
        }
        for descriptor in descriptors.values { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        self.descriptors = descriptors
    }
}

/// The error when the names or the number of inherited sockets are wrong.
package struct InheritedSocketFailure: Error, Sendable, CustomStringConvertible {
    /// The reason, and the remedy.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
