/// One request of a provider, as facts: nothing in it was believed yet.
public struct PushRequest: Sendable, Hashable {
    /// One header.
    public struct Header: Sendable, Hashable {
        /// The name, lower case as HTTP/2 requires.
        public let name: String
        /// The value as sent.
        public let value: String

        /// Creates a header.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The body, as far as it was read.
    public enum Body: Sendable, Hashable {
        /// A JSON object.
        case object([UInt8])
        /// No bytes, or something other than a JSON object.
        case notAnObject(byteCount: Int)
        /// More than any push may carry; the host stopped reading.
        case overLimit
    }

    /// The value of `:method`.
    public let method: String
    /// The value of `:path`.
    public let path: String
    /// The headers without the pseudo-headers, in their order.
    public let headers: [Header]
    /// The body, as far as it was read.
    public let body: Body

    /// Creates a request.
    public init(method: String, path: String, headers: [Header], body: Body) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }

    /// Returns the first value of a header.
    public func value(of name: String) -> String? {
        self.headers.first { $0.name == name }?.value
    }
}
