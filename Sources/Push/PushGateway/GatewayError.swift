/// Why the gateway cannot start, with the remedy.
public struct GatewayError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure, which may be extended.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: Sendable, Hashable {
            case badKey
            case badCertificate
            case badDatabase
            case cannotListen
        }

        private let value: Value

        /// The name of the kind, such as `badKey`, for a log or the label of a metric.
        public var description: String { "\(self.value)" }

        /// A provider key is malformed or cannot be read.
        public static let badKey = Code(value: .badKey)
        /// The certificate or its private key cannot be used.
        public static let badCertificate = Code(value: .badCertificate)
        /// The database cannot be opened.
        public static let badDatabase = Code(value: .badDatabase)
        /// The gateway cannot listen on an address.
        public static let cannotListen = Code(value: .cannotListen)
    }

    /// The kind of failure.
    public let code: Code
    /// The input, the rule and the remedy.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }

    /// Returns whether the codes are equal; messages are for people.
    public static func == (lhs: GatewayError, rhs: GatewayError) -> Bool { lhs.code == rhs.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.code) }
}
