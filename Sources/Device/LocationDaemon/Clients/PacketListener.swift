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

    /// Accepts connections on a socket that already listens.
    init(_ socket: PacketSocket, queue: DispatchQueue, accepted: @escaping @Sendable (PacketSocket) -> Void) {
        // Accepted connections inherit this option. A client sends at once, and its first packet must already name the sender.
        socket.passCredentials()
        self.source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        self.source.setEventHandler {
            // Accept at most 32 connections in a row, so that a flood does not delay connected clients.
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
