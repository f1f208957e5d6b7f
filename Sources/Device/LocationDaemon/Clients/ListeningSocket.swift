internal import Glibc
internal import WhereaboutsCLinux

/// A Unix socket created by the same rule everywhere in locationd: a socket in use stays, an abandoned one is replaced,
/// and a file that is not a socket stays.
enum ListeningSocket {
    /// The type of the socket.
    enum Form {
        /// Bytes.
        case stream
        case packets

        fileprivate var type: Int32 {
            switch self {
            case .stream: Int32(SOCK_STREAM.rawValue)
            case .packets: Int32(SOCK_SEQPACKET.rawValue)
            }
        }
    }

    /// Listens at a path.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes, the limit of Linux.
    ///   - form: the form of what is sent.
    ///   - mode: the users who may connect.
    ///   - option: locationd's option that names the path, or its directory.
    /// - Returns: the descriptor, non-blocking; the caller closes it.
    /// - Throws: ``DaemonError``.
    static func open(_ path: String, _ form: Form, mode: UInt32, of option: String) throws(DaemonError) -> Int32 {
        try self.makeRoom(at: path, of: option)
        let listener = socket(AF_UNIX, form.type | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        // Set the mode before bind, so that other users can never connect. The umask is no way, because it belongs to
        // the whole process. The final mode shows that the socket listens.
        guard listener >= 0, fchmod(listener, 0) == 0, unsafe clinux_bind_unix(listener, path) == 0,
            listen(listener, 128) == 0, unsafe chmod(path, mode) == 0
        else {
            let reason = unsafe String(cString: strerror(errno))
            if listener >= 0 { close(listener) }
            throw DaemonError("cannot listen at \(path) of \(option): \(reason)")
        }
        return listener
    }

    /// Removes a socket that was left.
    private static func makeRoom(at path: String, of option: String) throws(DaemonError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        let other = option == "--runtime" ? "another directory" : "another path"
        // A mistake in the option must not remove a file.
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw DaemonError("\(path) of \(option) is there, and is no socket; name \(other)")
        }
        guard !self.isHeld(path) else {
            throw DaemonError("\(path) of \(option) is in use by another program; end it, or name \(other)")
        }
        unsafe unlink(path)
    }

    /// Whether a program holds the socket at a path.
    ///
    /// The check connects with a datagram socket. The listener, which has another type, does not notice, and keeps its
    /// connections.
    private static func isHeld(_ path: String) -> Bool {
        let flags = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let probe = socket(AF_UNIX, flags, 0)
        // Unknown: do not remove another process's socket.
        guard probe >= 0 else { return true }
        defer { close(probe) }
        return unsafe clinux_connect_unix(probe, path) == 0 || ![ECONNREFUSED, ENOENT].contains(errno)
    }
}
