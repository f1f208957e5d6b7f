internal import Foundation
internal import NIOCore
internal import Synchronization

/// Passes each event that is posted to a name to the reader of that name.
final class Board: Sendable {
    private let streams = Mutex<[String: AsyncStream<ByteBuffer>.Continuation]>([:])

    /// An event that carries bytes.
    static func event(_ bytes: ByteBuffer) -> ByteBuffer {
        var event = ByteBuffer(string: "data: ")
        event.writeString(Data(bytes.readableBytesView).base64EncodedString())
        event.writeString("\n\n")
        return event
    }

    /// Sends an event to the reader of a name.
    func show(_ event: ByteBuffer, to name: String) {
        _ = self.streams.withLock { $0[name] }?.yield(event)
    }

    /// Reads the events of a name, until the connection ends.
    func look(at name: String) -> AsyncStream<ByteBuffer> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ByteBuffer.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        self.streams.withLock { $0[name] = continuation }
        return stream
    }

    /// Forgets a name.
    func leave(_ name: String) { self.streams.withLock { $0[name] = nil } }
}
