internal import Foundation
internal import NIOCore
internal import Synchronization

/// Passes on to the one who looks at a name what is posted to it.
final class Board: Sendable {
    private let streams = Mutex<[String: AsyncStream<ByteBuffer>.Continuation]>([:])

    /// An event that carries bytes.
    static func event(_ bytes: ByteBuffer) -> ByteBuffer {
        var event = ByteBuffer(string: "data: ")
        event.writeString(Data(bytes.readableBytesView).base64EncodedString())
        event.writeString("\n\n")
        return event
    }

    /// Shows an event to the one who looks.
    func show(_ event: ByteBuffer, to name: String) {
        _ = self.streams.withLock { $0[name] }?.yield(event)
    }

    /// Looks, until the connection ends.
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
