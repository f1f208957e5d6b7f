internal import CLinux
internal import Glibc
internal import LocationWire

/// The listening side of a socket, which wants to know who speaks.
///
/// Apart from ``PacketSocket``, because `ucred` needs C, and a C module below `CoreLocation` would be asked for wherever
/// apps are compiled (ADR 0041).
extension PacketSocket {
    /// Listens at a path, in place of whatever socket stood there.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes, the limit of Linux.
    ///   - mode: who may connect.
    /// - Returns: the listening socket, non-blocking.
    /// - Throws: ``WireError``.
    static func listen(at path: String, mode: UInt32) throws(WireError) -> PacketSocket {
        let made = try self.make()
        unsafe unlink(path)
        let before = umask(~mode & 0o777)
        defer { umask(before) }
        guard unsafe clinux_bind_unix(made.descriptor, path) == 0, Glibc.listen(made.descriptor, 128) == 0 else {
            throw WireError("cannot listen at \(path)", code: errno)
        }
        made.setNonblocking()
        return made
    }

    /// Accepts a connection without waiting; nil when none waits.
    func accept() -> PacketSocket? {
        let descriptor = clinux_accept(self.descriptor)
        return descriptor >= 0 ? PacketSocket(owning: descriptor) : nil
    }

    /// Has the kernel attach the sender's credentials to each packet received.
    func passCredentials() {
        clinux_pass_credentials(self.descriptor)
    }

    /// The process at the other end, as the kernel knows it; nil when it cannot tell.
    var peer: (pid: Int32, uid: UInt32)? {
        var pid: pid_t = 0
        var uid: uid_t = 0
        return unsafe clinux_peer(self.descriptor, &pid, &uid) == 0 ? (pid, uid) : nil
    }

    /// Takes one packet without waiting, with the process that sent it.
    ///
    /// - Throws: ``WireError``.
    func receiveFromPeer() throws(WireError) -> Received {
        try unsafe self.receive { buffer, sender in
            guard let start = buffer.baseAddress else { return 0 }
            var uid: uid_t = 0
            return unsafe clinux_receive_packet(self.descriptor, start, buffer.count, &sender, &uid)
        }
    }
}
