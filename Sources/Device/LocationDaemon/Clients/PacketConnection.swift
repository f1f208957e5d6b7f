internal import Dispatch
internal import WhereaboutsLocationWire

/// One connected socket on the daemon's queue: reads packets, and writes them without ever waiting.
///
/// While the peer does not read, the newest fix of each stream waits in a slot, and all other packets wait in a queue
/// of at most ``queuedMax``. A peer whose queue overflows is disconnected. The same limit applies while its process is
/// frozen, when nothing is written to it. The daemon's actor owns the connection.
final class PacketConnection {
    /// An event on the connection.
    enum Event: Sendable {
        /// A packet arrived from this process.
        case packet([UInt8], sender: Int32)
        /// The peer closed the connection; this is the last event.
        case closed
    }

    /// The maximum number of waiting packets: more than a single input causes, even the largest declaration.
    static let queuedMax = 1024

    let socket: PacketSocket
    private let reading: any DispatchSourceRead
    private var writing: (any DispatchSourceWrite)?
    private let queue: DispatchQueue
    private var queued: [[UInt8]] = []
    private var newest: [(stream: UInt64, packet: [UInt8])] = []
    private(set) var isClosed = false
    /// Whether the peer is frozen, so that packets to it wait.
    private var isHeld = false
    private let writable: @Sendable () -> Void

    /// Starts to read.
    ///
    /// - Parameters:
    ///   - socket: the connection.
    ///   - queue: the daemon's queue.
    ///   - writable: called on the queue when the socket accepts packets again, to call ``flush()``.
    ///   - event: receives each event, on the queue.
    init(
        _ socket: PacketSocket,
        queue: DispatchQueue,
        writable: @escaping @Sendable () -> Void,
        event: @escaping @Sendable (Event) -> Void
    ) {
        self.socket = socket
        self.queue = queue
        self.writable = writable
        socket.setNonblocking()
        self.reading = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        self.reading.setEventHandler {
            // Read at most 32 packets in a row, so that one client cannot block the others.
            for _ in 0..<32 {
                switch try? socket.receiveFromPeer() {
                case .packet(let packet, let sender): event(.packet(packet, sender: sender))
                case .empty: return
                case .closed, nil: return event(.closed)
                }
            }
        }
        // Keeps the descriptor open until the source has released it.
        self.reading.setCancelHandler { withExtendedLifetime(socket) {} }
        self.reading.activate()
    }

    /// Sends a packet that must arrive; false when too many packets wait, so that the peer must be disconnected.
    func send(_ packet: [UInt8]) -> Bool {
        if self.queued.isEmpty, self.newest.isEmpty, self.write(packet) { return true }
        guard self.queued.count < Self.queuedMax else { return false }
        self.queued.append(packet)
        return true
    }

    /// Sends a fix, which replaces a waiting fix of the same stream.
    func send(newest packet: [UInt8], of stream: UInt64) {
        if self.queued.isEmpty, self.newest.isEmpty, self.write(packet) { return }
        self.newest.removeAll { $0.stream == stream }
        self.newest.append((stream, packet))
    }

    /// Makes all packets wait until ``release()``.
    func hold() {
        self.isHeld = true
        self.stopWriting()
    }

    /// Sends the waiting packets, and ends ``hold()``.
    func release() {
        guard self.isHeld else { return }
        self.isHeld = false
        self.flush()
    }

    /// Writes waiting packets until the peer stops reading.
    func flush() {
        while let packet = self.queued.first, self.write(packet) { self.queued.removeFirst() }
        guard self.queued.isEmpty else { return }
        while let waiting = self.newest.first, self.write(waiting.packet) { self.newest.removeFirst() }
        if self.newest.isEmpty { self.stopWriting() }
    }

    private func stopWriting() {
        self.writing?.cancel()
        self.writing = nil
    }

    /// Returns whether the packet was written or the peer is gone; the reading side reports a closed peer.
    private func write(_ packet: [UInt8]) -> Bool {
        guard !self.isHeld else { return false }
        switch try? self.socket.send(packet) {
        case .sent, .closed, nil: return true
        case .full:
            if self.writing == nil {
                let source = DispatchSource.makeWriteSource(fileDescriptor: self.socket.descriptor, queue: self.queue)
                source.setEventHandler(handler: self.writable)
                let socket = self.socket
                source.setCancelHandler { withExtendedLifetime(socket) {} }
                source.activate()
                self.writing = source
            }
            return false
        }
    }

    func close() {
        guard !self.isClosed else { return }
        self.isClosed = true
        self.reading.cancel()
        self.stopWriting()
    }
}
