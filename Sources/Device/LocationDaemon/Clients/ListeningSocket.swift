internal import Glibc
internal import WhereaboutsCLinux

/// Creates Unix sockets by one rule: a socket in use is an error, an abandoned socket is replaced, and a file that is
/// not a socket is never removed.
enum ListeningSocket {
    /// The type of the socket.
    enum Form {
        /// A byte stream (`SOCK_STREAM`).
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
    ///   - form: the type of the socket.
    ///   - mode: the mode of the socket's file.
    ///   - option: locationd's option that names the path, or its directory.
    /// - Returns: the descriptor, non-blocking; the caller closes it.
    /// - Throws: ``DaemonError``.
    static func open(_ path: String, _ form: Form, mode: UInt32, of option: String) throws(DaemonError) -> Int32 {
        try self.makeRoom(at: path, of: option)
        let listener = socket(AF_UNIX, form.type | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        // Set the mode before bind, so that other users can never connect. The umask cannot be used, because it belongs
        // to the whole process. The final mode shows that the socket listens.
        guard listener >= 0, fchmod(listener, 0) == 0, unsafe clinux_bind_unix(listener, path) == 0,
            listen(listener, 128) == 0, unsafe chmod(path, mode) == 0
        else {
            let reason = unsafe String(cString: strerror(errno))
            if listener >= 0 { close(listener) }
            throw DaemonError("cannot listen at \(path) of \(option): \(reason)")
        }
        return listener
    }

    /// Removes an abandoned socket.
    private static func makeRoom(at path: String, of option: String) throws(DaemonError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        let other = option == "--runtime" ? "another directory" : "another path"
        // Never remove a file because of a mistake in the option.
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw DaemonError("\(path) of \(option) exists, and is not a socket; name \(other)")
        }
        guard !self.isHeld(path) else {
            throw DaemonError("\(path) of \(option) is in use by another program; end it, or name \(other)")
        }
        unsafe unlink(path)
    }

    /// Whether a program holds the socket at a path.
    ///
    /// The check connects with a datagram socket. A listener of another type refuses that with EPROTOTYPE, and its
    /// existing connections are not affected.
    private static func isHeld(_ path: String) -> Bool {
        let flags = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let probe = socket(AF_UNIX, flags, 0)
        // If the check fails, assume that another process uses the socket.
        guard probe >= 0 else { return true }
        defer { close(probe) }
        return unsafe clinux_connect_unix(probe, path) == 0 || ![ECONNREFUSED, ENOENT].contains(errno)
    }
}
