internal import Dispatch
internal import WhereaboutsLocationWire

/// A listening socket on the daemon's queue.
final class PacketListener {
    private let source: any DispatchSourceRead

    convenience init(
        path: String,
        mode: UInt32,
        queue: DispatchQueue,
        accepted: @escaping @Sendable (PacketSocket) -> Void
    ) throws {
        self.init(try PacketSocket.listen(at: path, mode: mode), queue: queue, accepted: accepted)
    }

    /// Listens on a socket that does already.
    init(_ socket: PacketSocket, queue: DispatchQueue, accepted: @escaping @Sendable (PacketSocket) -> Void) {
        // Inherited at accept: a client speaks as soon as it is connected, and its first packet must say who sent it.
        socket.passCredentials()
        self.source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        self.source.setEventHandler {
            // At most this many in one turn, so that a flood does not keep those who are in waiting.
            for _ in 0..<32 {
                guard let connection = socket.accept() else { return }
                accepted(connection)
            }
        }
        self.source.setCancelHandler { withExtendedLifetime(socket) {} }
        self.source.activate()
    }

    func close() {
        self.source.cancel()
    }
}
