public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// A request that a mock of APNs received, and its end.
public struct MockPush: Sendable, Hashable {
    /// The number, from 1, since the mock started or was reset.
    public let number: Int
    /// When the request was complete.
    public let receivedAt: WallTime
    /// The number of its connection, from 1.
    public let connection: Int
    /// The headers that APNs reads, without `authorization`.
    public let headers: [String: String]
    /// The team, the key and the time of the provider token; nil if there is no valid token.
    public let provider: ProviderClaims?
    /// The `apns-id` of the answer.
    public let id: String
    /// The device token, in lower-case hexadecimal digits; empty for a broadcast.
    public let token: String
    /// The topic, or the app of a broadcast; nil if the request has none.
    public let topic: String?
    /// The body; empty if the request was rejected before it arrived.
    public let payload: [UInt8]
    /// How the push ended.
    public let end: MockScript.End
    /// Whether a rule of the script decided.
    public let isScripted: Bool
    /// The explanation of the rejection; nil if Apple would accept the push, or a rule decided.
    public let explanation: String?
    /// The mistakes in a push that Apple accepts with status 200, but then delays or drops.
    public let findings: [MockFinding]

    /// Creates an entry for a request.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - id: the `apns-id` of the answer.
    ///   - number: the request's number.
    ///   - connection: the number of its connection.
    ///   - provider: the provider token; nil if there is no valid token.
    ///   - receivedAt: when the request was complete.
    ///   - outcome: the end of the request.
    ///   - explanation: why Apple rejects the request.
    ///   - findings: the mistakes that Apple does not report.
    public init(
        _ request: PushRequest,
        id: String,
        number: Int,
        connection: Int,
        provider: ProviderClaims?,
        receivedAt: WallTime,
        outcome: MockScript.Outcome,
        explanation: String?,
        findings: [MockFinding]
    ) {
        self.number = number
        self.receivedAt = receivedAt
        self.connection = connection
        self.headers = request.headers
        self.provider = provider
        self.id = id
        self.token =
            request.isAboutChannels ? "" : String(request.path.split(separator: "/").last ?? "").lowercased()
        self.topic = request.isAboutChannels ? request.channelApp : request.headers[HeaderName.topic]
        self.payload = request.bodyBytes
        self.end = outcome.end
        self.isScripted = outcome.isScripted
        self.explanation = explanation
        self.findings = findings
    }

    /// The channel of a broadcast; nil if the request names none.
    public var channel: String? { self.headers[HeaderName.channelID] }
    /// The push type of the request; nil if there is none.
    public var pushType: String? { self.headers[HeaderName.pushType] }
    /// The body as text.
    public var payloadText: String { String(decoding: self.payload, as: UTF8.self) }

    /// The status and the reason of the answer; nil if there is no answer.
    public var answer: (status: Int, reason: Reason?)? {
        switch self.end {
        case .accept, .goAway: (200, nil)
        case .reject(let reason, _): (reason.status, reason)
        case .silence, .refuse, .goAwayUnprocessed, .close, .cut: nil
        }
    }
}
