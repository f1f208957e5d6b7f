internal import Dispatch
internal import LocationWire

/// A listening socket on the daemon's queue.
final class PacketListener {
    private let source: any DispatchSourceRead

    init(
        path: String,
        mode: UInt32,
        queue: DispatchQueue,
        accepted: @escaping @Sendable (PacketSocket) -> Void
    ) throws {
        let socket = try PacketSocket.listen(at: path, mode: mode)
        self.source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        self.source.setEventHandler {
            while let connection = socket.accept() { accepted(connection) }
        }
        self.source.setCancelHandler { withExtendedLifetime(socket) {} }
        self.source.activate()
    }

    func close() {
        self.source.cancel()
    }
}
