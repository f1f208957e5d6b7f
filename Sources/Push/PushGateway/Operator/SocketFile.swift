internal import Glibc

/// The state of a Unix socket's path, checked before use, because a library would wait, or report only error numbers.
public enum SocketFile: Sendable, Hashable {
    case missing
    case inUse
    /// The socket exists, but its program has ended.
    case abandoned
    case noSocket
    /// This user may not open or examine it.
    case notOurs
    /// The path is empty, or too long for a socket.
    case badPath

    /// The maximum number of bytes of a path: the size of `sun_path` without the final zero.
    public static let longestPath = 107

    /// Checks a path.
    public init(_ path: String) {
        guard (1...Self.longestPath).contains(path.utf8.count) else {
            self = .badPath
            return
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            self = errno == EACCES ? .notOurs : .missing
            return
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            self = .noSocket
            return
        }
        self = Self.answer(path)
    }

    /// Calls with the address of a path of at most ``longestPath`` bytes, and its length.
    static func withAddress(of path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func answer(_ path: String) -> SocketFile {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let probe = socket(AF_UNIX, flags, 0)
        guard probe >= 0 else { return .inUse }
        defer { close(probe) }
        if unsafe Self.withAddress(of: path, { unsafe connect(probe, $0, $1) }) == 0 { return .inUse }
        switch errno {
        case ECONNREFUSED: return .abandoned
        case EACCES: return .notOurs
        case ENOENT: return .missing
        // A full queue of connections, or a packet socket, also has a listener.
        default: return .inUse
        }
    }
}
