internal import NIOCore
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine

/// One request of a provider, from its headers until the client has read the answer.
///
/// ```
///   ┌─────────┐ END_STREAM or too much  ┌──────────┐ reply  ┌──────────┐
///   │ reading │ ──────────────────────▶ │ deciding │ ─────▶ │ answered │
///   └─────────┘                         └──────────┘        └──────────┘
/// ```
struct RequestStream {
    /// The state of the request in the diagram above.
    enum State {
        /// The headers and this part of the body arrived; the provider may push to these apps.
        case reading(PushRequest, TopicScope, body: ByteBuffer)
        /// The request was submitted, and must be answered; further parts of the body are discarded.
        case deciding
        /// The answer is written; the client has not read it, or has not ended its side of the stream.
        case answered
    }

    /// How long a request may take to arrive, and how long its response may wait to be read.
    ///
    /// Source: our choice; a push with its headers has about 5 kB, which a slow network transfers in seconds.
    static let timeout = TimeAmount.seconds(30)
    /// The maximum number of bytes of a body that are discarded after an early answer; then the stream is reset.
    static let discardedBytesMax = 256 * 1024

    /// The ID of the response.
    let id: String
    /// The header that has the ID.
    let idName: String
    /// The provider token's content; nil if it was rejected.
    let claims: ProviderClaims?
    /// Whether the response may have a body; a response to HEAD may not.
    let mayHaveBody: Bool
    private(set) var state: State
    /// When the stream entered its present state.
    private(set) var since: NIODeadline
    /// The bytes of the flow-control window that the body occupies.
    private(set) var heldBytes = 0
    private var discardedBytes = 0

    init(_ request: PushRequest, id: String, scope: TopicScope, claims: ProviderClaims? = nil, now: NIODeadline) {
        self.id = id
        self.idName = request.isAboutChannels ? HeaderName.requestID : HeaderName.id
        self.claims = claims
        self.mayHaveBody = request.method != "HEAD"
        self.state = .reading(request, scope, body: ByteBuffer())
        self.since = now
    }

    /// Actions returned by ``dataReceived(_:windowBytes:isLast:now:)``.
    enum OnData {
        case wait
        /// The request is complete, or its body is too long.
        case decide(PushRequest, TopicScope)
        /// Return these bytes to the window, because they were discarded.
        case giveBack
        /// Reset the stream: too many bytes were discarded.
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
            // Stop reading at the first byte beyond the limit.
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

    /// Records that the request ended without further body bytes.
    mutating func ended(now: NIODeadline) -> OnData {
        guard case .reading(let request, let scope, let body) = self.state else { return .wait }
        return self.decide(request, scope, .bytes(Array(body.readableBytesView)), now)
    }

    /// Records that the request was answered.
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
