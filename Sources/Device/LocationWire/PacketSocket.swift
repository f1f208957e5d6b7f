internal import Glibc
internal import Synchronization

/// A `SOCK_SEQPACKET` Unix socket, which delivers whole packets or nothing.
package final class PacketSocket: Sendable {
    /// The longest packet that either side sends, in bytes, which fits the default send buffer of Linux.
    package static let packetBytesMax = 128 * 1024

    /// The descriptor; closed with the object.
    package let descriptor: Int32
    /// The receive buffer, reused because most packets are a thousand times shorter than the longest.
    ///
    /// It is not initialized, so that only pages that packets reach take up memory.
    private let scratch = Mutex(
        unsafe [UInt8](unsafeUninitializedCapacity: packetBytesMax) { _, count in count = packetBytesMax }
    )

    package init(owning descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(self.descriptor)
    }

    /// Creates an unconnected socket.
    package static func make() throws(WireError) -> PacketSocket {
        let descriptor = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw WireError("cannot make a socket", code: errno) }
        return PacketSocket(owning: descriptor)
    }

    /// Connects to a listening socket.
    package static func connect(to path: String) throws(WireError) -> PacketSocket {
        let made = try self.make()
        let isConnected = unsafe try self.withAddress(of: path) { address, length in
            unsafe Glibc.connect(made.descriptor, address, length) == 0
        }
        guard isConnected else { throw WireError("cannot connect to \(path)", code: errno) }
        return made
    }

    /// Calls a closure with the address of a path of at most 107 bytes, the limit of Linux.
    private static func withAddress(
        of path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) throws(WireError) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isWhole = unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            // Leave room for the terminating zero.
            guard path.utf8.count < bytes.count else { return false }
            unsafe bytes.copyBytes(from: path.utf8)
            return true
        }
        guard isWhole else { throw WireError("cannot connect to \(path)", code: ENAMETOOLONG) }
        return unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bytes.withMemoryRebound(to: sockaddr.self) { address in
                guard let start = address.baseAddress else { return false }
                return unsafe body(start, socklen_t(bytes.count))
            }
        }
    }

    /// Connects to locationd's socket for apps, and waits until locationd has checked this process; locationd drops
    /// earlier packets, because another program may have sent them on this socket (ADR 0039).
    ///
    /// - Returns: the connection and locationd's first packet, which is `Ready`, or a refusal.
    /// - Throws: ``WireError``, also when locationd sends nothing within a second.
    package static func connectAsApp(to path: String) throws(WireError) -> (PacketSocket, greeting: [UInt8]) {
        let made = try self.connect(to: path)
        guard case .packet(let greeting, _) = try made.waitForPacket(milliseconds: 1000) else {
            throw WireError(malformed: "\(path) accepts connections but sends nothing")
        }
        return (made, greeting)
    }

    package static func pair() throws(WireError) -> (PacketSocket, PacketSocket) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw WireError("cannot make a pair of sockets", code: errno)
        }
        return (PacketSocket(owning: ends[0]), PacketSocket(owning: ends[1]))
    }

    /// Makes the socket non-blocking.
    package func setNonblocking() {
        _ = fcntl(self.descriptor, F_SETFL, fcntl(self.descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Limits the kernel's buffer for a peer that does not read, so that fewer stale fixes wait there.
    package func setSendBuffer(bytes: Int32) {
        unsafe withUnsafeBytes(of: bytes) { value in
            _ = unsafe setsockopt(
                self.descriptor,
                SOL_SOCKET,
                SO_SNDBUF,
                value.baseAddress,
                socklen_t(value.count)
            )
        }
    }

    /// The result of sending a packet.
    package enum Sent: Hashable {
        /// The packet will arrive.
        case sent
        /// The peer does not read, and nothing was sent.
        case full
        case closed
    }

    /// Sends one packet.
    ///
    /// - Throws: ``WireError``, with `EMSGSIZE` for a packet longer than ``packetBytesMax``, which a peer cannot receive.
    package func send(_ packet: [UInt8]) throws(WireError) -> Sent {
        guard packet.count <= Self.packetBytesMax else {
            throw WireError("cannot send \(packet.count) bytes in a packet", code: EMSGSIZE)
        }
        while true {
            let sent = unsafe packet.withUnsafeBytes { bytes in
                unsafe Glibc.send(self.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            if sent >= 0 { return .sent }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .full
            case EPIPE, ECONNRESET, ENOTCONN: return .closed
            default: throw WireError("cannot send \(packet.count) bytes", code: errno)
            }
        }
    }

    /// The result of reading from a socket.
    package enum Received {
        /// A packet, and the process ID of its sender; 0: unknown.
        case packet([UInt8], sender: Int32)
        case empty
        case closed
    }

    /// Reads one packet without waiting; never accepts descriptors that a peer passes.
    package func receive() throws(WireError) -> Received {
        try unsafe self.receive { buffer, _ in
            // Without a buffer for control data, the kernel closes passed descriptors.
            unsafe recv(self.descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC))
        }
    }

    /// Reads one packet without waiting.
    ///
    /// - Parameter read: fills the buffer and returns a count as `recv` does; may set the sender's process ID.
    /// - Returns: the packet, or why there is none.
    /// - Throws: ``WireError``, with `EMSGSIZE` for a packet longer than ``packetBytesMax``.
    package func receive(
        by read: (_ buffer: UnsafeMutableRawBufferPointer, _ sender: inout Int32) -> Int
    ) throws(WireError) -> Received {
        var sender: Int32 = 0
        var count = 0
        var code: Int32 = 0
        let packet = self.scratch.withLock { scratch in
            unsafe scratch.withUnsafeMutableBytes { buffer in
                count = unsafe read(buffer, &sender)
                code = count > buffer.count ? EMSGSIZE : errno
            }
            return count > scratch.count ? [] : Array(scratch[..<max(count, 0)])
        }
        if !packet.isEmpty { return .packet(packet, sender: sender) }
        if count == 0 { return .closed }
        switch code {
        case EAGAIN, EINTR: return .empty
        // The peer closed before it read our packets. The kernel reports this once; the peer's earlier messages can still be read.
        case ECONNRESET: return try unsafe self.receive(by: read)
        default: throw WireError("cannot receive", code: code)
        }
    }

    /// Waits for a packet.
    ///
    /// - Parameter milliseconds: the longest time to wait; negative: without limit.
    /// - Returns: the result; ``Received/empty`` when no packet came in time.
    /// - Throws: ``WireError``.
    package func waitForPacket(milliseconds: Int32 = -1) throws(WireError) -> Received {
        while true {
            var waiting = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            let ready = unsafe poll(&waiting, 1, milliseconds)
            if ready == 0 { return .empty }
            if ready < 0, errno != EINTR { throw WireError("cannot wait for a packet", code: errno) }
            switch try self.receive() {
            case .empty where milliseconds < 0: continue
            case let received: return received
            }
        }
    }
}
