internal import WhereaboutsAPNS

/// One request of a provider, before validation.
public struct PushRequest: Sendable, Hashable {
    /// The body, or the part that was read.
    public enum Body: Sendable, Hashable {
        /// The received part, or all of it.
        case bytes([UInt8])
        /// The body is longer than any push allows; the host stopped reading.
        case overLimit
    }

    /// The value of `:method`.
    public private(set) var method = ""
    /// The value of `:path`.
    public private(set) var path = ""
    /// The value of `authorization`.
    public private(set) var authorization: String?
    /// The value of `apns-id`, unchanged.
    public private(set) var id: String?
    private(set) var pushType: String?
    private(set) var expiration: String?
    private(set) var priority: String?
    private(set) var topic: String?
    private(set) var collapseID: String?
    /// The value of `apns-channel-id`, for a mock; the gateway has no channels.
    private(set) var channelID: String?
    /// The value of `apns-request-id`, which replaces `apns-id` in requests about channels.
    private(set) var requestID: String?
    /// Whether a known header appeared more than once.
    private(set) var repeatsHeader = false
    private var form = HeaderBlockForm()
    /// The bytes of all headers as HTTP/2 counts them (RFC 9113, 6.5.2).
    public private(set) var headerBytesCount = 0
    /// The body, or the part that was read.
    public var body = Body.bytes([])

    /// Creates an empty request.
    public init() {}

    /// Whether the header block is malformed (RFC 9113, 8.1.1): the stream must be reset, not answered.
    public var isMalformed: Bool { self.form.isMalformed || self.path.isEmpty }

    /// The body; empty if it was over the limit.
    public var bodyBytes: [UInt8] {
        switch self.body {
        case .bytes(let bytes): bytes
        case .overLimit: []
        }
    }

    /// The known headers, without the provider token.
    public var headers: [String: String] {
        let pairs = [
            (HeaderName.id, self.id), (HeaderName.pushType, self.pushType), (HeaderName.expiration, self.expiration),
            (HeaderName.priority, self.priority), (HeaderName.topic, self.topic),
            (HeaderName.collapseID, self.collapseID), (HeaderName.channelID, self.channelID),
            (HeaderName.requestID, self.requestID), (":method", self.method), (":path", self.path),
        ]
        return Dictionary(uniqueKeysWithValues: pairs.compactMap { name, value in value.map { (name, $0) } })
    }

    /// Adds a header or pseudo-header; unknown names are ignored, as APNs does.
    public mutating func add(_ name: String, _ value: String) {
        self.headerBytesCount += name.utf8.count + value.utf8.count + 32
        switch name {
        case ":method":
            self.form.add(.method)
            self.method = value
        case ":path":
            self.form.add(.path)
            self.path = value
        case ":scheme": self.form.add(.scheme)
        case ":authority": self.form.add(.authority)
        case HeaderName.authorization: Self.take(value, for: &self.authorization, &self.repeatsHeader, &self.form)
        case HeaderName.id: Self.take(value, for: &self.id, &self.repeatsHeader, &self.form)
        case HeaderName.pushType: Self.take(value, for: &self.pushType, &self.repeatsHeader, &self.form)
        case HeaderName.expiration: Self.take(value, for: &self.expiration, &self.repeatsHeader, &self.form)
        case HeaderName.priority: Self.take(value, for: &self.priority, &self.repeatsHeader, &self.form)
        case HeaderName.topic: Self.take(value, for: &self.topic, &self.repeatsHeader, &self.form)
        case HeaderName.collapseID: Self.take(value, for: &self.collapseID, &self.repeatsHeader, &self.form)
        case HeaderName.channelID where self.channelID == nil:
            self.form.addOther(name, value)
            self.channelID = value
        case HeaderName.requestID where self.requestID == nil:
            self.form.addOther(name, value)
            self.requestID = value
        default: self.form.addOther(name, value)
        }
    }

    private static func take(
        _ value: String,
        for header: inout String?,
        _ repeats: inout Bool,
        _ form: inout HeaderBlockForm
    ) {
        form.addKnown()
        if header == nil {
            header = value
        } else {
            repeats = true
        }
    }
}
