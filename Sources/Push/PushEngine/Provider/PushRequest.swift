internal import WhereaboutsAPNS

/// One request of a provider, as facts: nothing in it was believed yet.
public struct PushRequest: Sendable, Hashable {
    /// The body, as far as it was read.
    public enum Body: Sendable, Hashable {
        /// All of it, or as much as came.
        case bytes([UInt8])
        /// More than any push may carry; the host stopped reading.
        case overLimit
    }

    /// The value of `:method`.
    public private(set) var method = ""
    /// The value of `:path`.
    public private(set) var path = ""
    /// The value of `authorization`.
    public private(set) var authorization: String?
    /// The value of `apns-id`, as it was sent.
    public private(set) var id: String?
    private(set) var pushType: String?
    private(set) var expiration: String?
    private(set) var priority: String?
    private(set) var topic: String?
    private(set) var collapseID: String?
    /// Whether a header that means something came more than once.
    private(set) var repeatsHeader = false
    /// The bytes of all headers as HTTP/2 counts them (RFC 9113, 6.5.2).
    public private(set) var headerBytesCount = 0
    /// The body, as far as it was read.
    public var body = Body.bytes([])

    /// Creates a request of which nothing came yet.
    public init() {}

    /// Takes a header or pseudo-header in; names that mean nothing here are passed over, as APNs does.
    public mutating func add(_ name: String, _ value: String) {
        self.headerBytesCount += name.utf8.count + value.utf8.count + 32
        switch name {
        // Of pseudo-headers HTTP/2 itself lets none come twice.
        case ":method": self.method = value
        case ":path": self.path = value
        case HeaderName.authorization: Self.take(value, for: &self.authorization, &self.repeatsHeader)
        case HeaderName.id: Self.take(value, for: &self.id, &self.repeatsHeader)
        case HeaderName.pushType: Self.take(value, for: &self.pushType, &self.repeatsHeader)
        case HeaderName.expiration: Self.take(value, for: &self.expiration, &self.repeatsHeader)
        case HeaderName.priority: Self.take(value, for: &self.priority, &self.repeatsHeader)
        case HeaderName.topic: Self.take(value, for: &self.topic, &self.repeatsHeader)
        case HeaderName.collapseID: Self.take(value, for: &self.collapseID, &self.repeatsHeader)
        default: break
        }
    }

    private static func take(_ value: String, for header: inout String?, _ repeats: inout Bool) {
        if header == nil {
            header = value
        } else {
            repeats = true
        }
    }
}
