internal import NIOCore
internal import NIOHTTP2
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine

/// One request of a provider, from its headers to the client's taking of the answer.
///
/// ```
///   ┌─────────┐ END_STREAM or too much  ┌──────────┐ reply  ┌──────────┐
///   │ reading │ ──────────────────────▶ │ deciding │ ─────▶ │ answered │
///   └─────────┘                         └──────────┘        └──────────┘
/// ```
struct RequestStream {
    /// The state of the request in the diagram above.
    enum State {
        /// The headers are there, of a provider that may push to these apps, and this much of the body.
        case reading(PushRequest, TopicScope, body: ByteBuffer)
        /// The gateway has the request and must answer it; further parts of the body are discarded.
        case deciding
        /// The answer is written, and the client has yet to take it, or to end its own side.
        case answered
    }

    /// How long a request may take to arrive, and how long its response may wait to be read.
    ///
    /// Source: our choice; a push has about 5 kB with its headers, which a bad line brings in seconds.
    static let timeout = TimeAmount.seconds(30)
    /// How much of a body is thrown away after an early answer; then the stream is reset.
    static let discardedBytesMax = 256 * 1024

    /// The `apns-id` of the response.
    let id: String
    /// The provider token's content; nil: it was rejected.
    let claims: ProviderClaims?
    /// Whether the response may have a body, which one to HEAD may not.
    let mayHaveBody: Bool
    private(set) var state: State
    /// When the stream entered its present state.
    private(set) var since: NIODeadline
    /// The bytes of the window that its body occupies.
    private(set) var heldBytes = 0
    private var discardedBytes = 0

    init(_ request: PushRequest, id: String, scope: TopicScope, claims: ProviderClaims? = nil, now: NIODeadline) {
        self.id = id
        self.claims = claims
        self.mayHaveBody = request.method != "HEAD"
        self.state = .reading(request, scope, body: ByteBuffer())
        self.since = now
    }

    /// Actions returned by ``dataReceived(_:windowBytes:isLast:now:)``.
    enum OnData {
        case wait
        /// The request is whole, or all of it that is looked at.
        case decide(PushRequest, TopicScope)
        /// Return these bytes of the window, because they were discarded.
        case giveBack
        /// Reset the stream: too much was thrown away.
        case reset
    }

    /// Records a part of the body, which occupied this much of the window.
    mutating func dataReceived(
        _ bytes: inout ByteBuffer,
        windowBytes: Int,
        isLast: Bool,
        now: NIODeadline
    ) -> OnData {
        switch self.state {
        case .reading(let request, let scope, var body):
            self.heldBytes += windowBytes
            // One more byte than allowed is enough to know.
            guard body.readableBytes + bytes.readableBytes <= Limits.anyPayloadBytesMax else {
                return self.decide(request, scope, .overLimit, now)
            }
            if isLast, body.readableBytes == 0 {
                return self.decide(request, scope, .bytes(Array(bytes.readableBytesView)), now)
            }
            // Copy the part, because a view would keep everything that was read with it.
            body.writeBuffer(&bytes)
            if isLast { return self.decide(request, scope, .bytes(Array(body.readableBytesView)), now) }
            self.state = .reading(request, scope, body: body)
            return .wait
        case .deciding, .answered:
            self.discardedBytes += windowBytes
            return self.discardedBytes > Self.discardedBytesMax ? .reset : .giveBack
        }
    }

    /// Records that the request ended without more of a body.
    mutating func ended(now: NIODeadline) -> OnData {
        guard case .reading(let request, let scope, let body) = self.state else { return .wait }
        return self.decide(request, scope, .bytes(Array(body.readableBytesView)), now)
    }

    /// Records that it is answered.
    mutating func answered(now: NIODeadline) {
        self.state = .answered
        self.since = now
    }

    private mutating func decide(
        _ request: PushRequest,
        _ scope: TopicScope,
        _ body: PushRequest.Body,
        _ now: NIODeadline
    ) -> OnData {
        self.state = .deciding
        self.since = now
        var request = request
        request.body = body
        return .decide(request, scope)
    }
}
