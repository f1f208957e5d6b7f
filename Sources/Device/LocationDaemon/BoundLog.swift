internal import Logging
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationWire
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// The reached bounds of this shell, and the warnings about them, which other programs can cause at any rate.
final class BoundLog: Sendable {
    private struct State {
        var counts = BoundCounts()
        /// The limit of warnings about each bound, so that a flood of one kind does not hide another.
        var notes: [Bound: ThrottledNotes] = [:]
    }

    private let logger: Logger
    private let state = Mutex(State())

    init(_ logger: Logger) { self.logger = logger }

    /// The bounds that this shell reached; the core counts its own.
    var counts: BoundCounts { self.state.withLock { $0.counts } }

    func count(_ bound: Bound, times: Int = 1) { self.state.withLock { $0.counts.count(bound, times: times) } }

    /// Counts a reached bound, and logs a warning unless there were too many of them (``ThrottledNotes``).
    func warn(_ bound: Bound, _ message: Logger.Message, _ metadata: Logger.Metadata = [:]) {
        let notes = self.state.withLock { state in
            state.counts.count(bound)
            if let notes = state.notes[bound] { return notes }
            let notes = ThrottledNotes(self.logger, now: { Clocks.now().monotonic }) { [weak self] in
                self?.count(.notesLeftOut)
            }
            state.notes[bound] = notes
            return notes
        }
        notes.write(.warning, message, metadata)
    }

    /// The packet of a message; nil when the message is too long, which is then not sent.
    func packet(_ message: some SwiftProtobuf.Message) -> [UInt8]? {
        guard let packet = try? WireMessage.encode(message), packet.count <= PacketSocket.packetBytesMax else {
            self.count(.messagesTooLong)
            self.logger.error("a message was too long for a packet and was not sent")
            return nil
        }
        return packet
    }
}
