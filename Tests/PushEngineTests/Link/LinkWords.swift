internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// The words with which the tests of both sides describe the messages of a link.
enum LinkWords {
    static let nonce = Array(repeating: UInt8(7), count: LinkProof.nonceBytesCount)
    static let address = AddressBlock([127, 0, 0, 1])
    static let device = DeviceKey(bytes: [0xD])
    static let proof = LinkProof(device: Self.device, signature: [1])

    /// An instant as transcripts write it: `@1.5`.
    static func instant(_ word: String) throws -> EngineInstant {
        let seconds = try #require(Double(word.dropFirst()))
        return EngineInstant(sinceStart: .milliseconds(Int64((seconds * 1000).rounded())))
    }

    /// Seconds since the start, or `never`.
    static func text(_ deadline: EngineInstant?) -> String {
        deadline.map { Self.text($0.sinceStart) } ?? "never"
    }

    static func text(_ duration: Duration) -> String {
        let seconds = (duration / .milliseconds(1)).rounded() / 1000
        return seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
    }

    static func push(_ number: String) throws -> StoredPush {
        StoredPush(
            id: try Self.id(number),
            topic: "a",
            payload: [],
            priority: .immediate,
            expiration: .once,
            collapseID: nil
        )
    }

    static func id(_ number: String) throws -> PushID {
        PushID(high: 0, low: try #require(UInt64(number)))
    }

    static func token(_ topic: String) throws -> DeviceToken {
        try #require(DeviceToken(bytes: Array(topic.utf8)))
    }

    static func text(_ request: Gateway.DeviceRequest) -> String {
        switch request {
        case .register(let topic): "register(\(topic))"
        case .unregister(let topic): "unregister(\(topic))"
        case .enableTopics(let topics): "topics(\(topics.joined(separator: " ")))"
        case .acknowledge(let id): "ack(\(id.last ?? 0))"
        }
    }

    static func text(_ message: DeviceMessage) -> String {
        switch message {
        case .proof: "proof"
        case .request(let request): Self.text(request)
        case .ping(let number): "ping(\(number))"
        }
    }

    static func text(_ message: GatewayMessage) -> String {
        switch message {
        case .challenge: "challenge"
        case .welcome(let keepalive): "welcome(\(Self.text(keepalive)))"
        case .registered(let topic, _): "token(\(topic))"
        case .unregistered(let topic): "gone(\(topic))"
        case .push(let push): "push(\(push.id.low))"
        case .pong(let number): "pong(\(number))"
        case .goAway(let reason): "goaway(\(reason))"
        }
    }
}

/// Draws the longest pause every time.
struct Longest: RandomNumberGenerator {
    mutating func next() -> UInt64 { .max }
}
