internal import Foundation
internal import Synchronization
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsSharingServer

/// A push service for tests: rejects what APNs would reject, and delivers the rest in order.
final class PushModel: PushSender {
    struct Push: Sendable {
        let token: [UInt8]
        let topic: String
        let payload: [UInt8]
    }

    /// The service's reaction to pushes.
    enum Mode: Sendable {
        case accept
        case reject(PushRejection)
    }

    let pushes: AsyncStream<Push>
    private let continuation: AsyncStream<Push>.Continuation
    private let state = Mutex((mode: Mode.accept, attempts: 0))

    init(_ mode: Mode = .accept) {
        (self.pushes, self.continuation) = AsyncStream.makeStream()
        self.state.withLock { $0.mode = mode }
    }

    var attempts: Int { self.state.withLock { $0.attempts } }

    func set(_ mode: Mode) {
        self.state.withLock { $0.mode = mode }
    }

    func send(_ push: any DevicePush, payload: [UInt8]) async throws(PushRejection) {
        #expect(!push.topic.isEmpty && !push.topic.hasSuffix(".location-query"))
        #expect(payload.count <= Limits.payloadBytesMax)
        self.check(payload)
        // No caller waits for a schedule's occurrence.
        let occurrence = (push as? RequestPush)?.request.value.occurrence ?? 0
        #expect(push.priority == (occurrence == 0 ? .immediate : .powerConsiderate))
        let mode = self.state.withLock { state in
            state.attempts += 1
            return state.mode
        }
        if case .reject(let rejection) = mode { throw rejection }
        self.continuation.yield(Push(token: push.token.bytes, topic: push.topic, payload: payload))
    }

    /// The push service learns nothing about a request.
    private func check(_ payload: [UInt8]) {
        let object = try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
        // The suite of rules for all senders sends its own texts.
        guard let object, object["whereabouts"] != nil else { return }
        let sealed = try? WhereaboutsSharing.PushPayload.sealed(in: object)
        #expect(sealed?.count == SealedPush.byteCount && object.count == 2)
    }
}
