internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsLocationWire

/// Listens on a socket, and identifies the process at the other end of a connection.
///
/// This extension is not in LocationWire, because `ucred` needs C, and every package that imports `CoreLocation` would
/// then have to find the C module (ADR 0016).
extension PacketSocket {
    /// Listens at a path in the directory of locationd's sockets, replacing an abandoned socket.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes, the limit of Linux.
    ///   - mode: the mode of the socket's file.
    /// - Returns: the listening socket, non-blocking.
    /// - Throws: ``DaemonError``.
    static func listen(at path: String, mode: UInt32) throws(DaemonError) -> PacketSocket {
        PacketSocket(owning: try ListeningSocket.open(path, .packets, mode: mode, of: "--runtime"))
    }

    /// Adopts a listening packet socket that the service manager opened, and makes it non-blocking.
    ///
    /// - Throws: ``WireError`` when it is of another kind.
    static func listening(_ descriptor: Int32) throws(WireError) -> PacketSocket {
        var (kind, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0 else {
            throw WireError("cannot listen on descriptor \(descriptor)", code: errno)
        }
        guard kind == Int32(SOCK_SEQPACKET.rawValue) else {
            throw WireError("cannot listen on descriptor \(descriptor): use ListenSequentialPacket=", code: EPROTOTYPE)
        }
        let socket = PacketSocket(owning: descriptor)
        socket.setNonblocking()
        return socket
    }

    /// Accepts a connection without waiting; nil when there is none.
    func accept() -> PacketSocket? {
        let descriptor = clinux_accept(self.descriptor)
        return descriptor >= 0 ? PacketSocket(owning: descriptor) : nil
    }

    /// Has the kernel attach the sender's credentials to each packet received.
    func passCredentials() {
        clinux_pass_credentials(self.descriptor)
    }

    /// The process at the other end, according to the kernel; nil when it is unknown.
    var peer: (pid: Int32, uid: UInt32)? {
        var pid: pid_t = 0
        var uid: uid_t = 0
        return unsafe clinux_peer(self.descriptor, &pid, &uid) == 0 ? (pid, uid) : nil
    }

    /// The groups of the process at the other end when it connected, its own group first; empty when they are unknown.
    var peerGroups: [gid_t] {
        // Most processes have a few groups; Linux allows 65536 (NGROUPS_MAX).
        for most in [64, 65_537] {
            var groups = [gid_t](repeating: 0, count: most)
            let count = unsafe clinux_peer_groups(self.descriptor, &groups, most)
            if count >= 0 { return Array(groups.prefix(Int(count))) }
            guard errno == ERANGE else { break }
        }
        return []
    }

    /// The peer's user and groups, if this process is root and the peer is not; otherwise nil.
    var reader: HeldDirectory.Reader? {
        guard geteuid() == 0, let peer = self.peer, peer.uid != 0 else { return nil }
        return HeldDirectory.Reader(user: peer.uid, groups: self.peerGroups)
    }

    /// Reads one packet without waiting, and the process that sent it.
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
