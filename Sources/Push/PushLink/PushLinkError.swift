/// The reason why a push link cannot be opened or must end.
public struct PushLinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure, which may be extended.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: Sendable, Hashable {
            case frameTooLarge
            case frameMalformed
            case unusableTrustRoots
        }

        private let value: Value

        /// The name of the kind, such as `frameTooLarge`, for a log or the label of a metric.
        public var description: String { "\(self.value)" }

        /// The peer announced a frame beyond the limit.
        public static let frameTooLarge = Code(value: .frameTooLarge)
        /// The peer sent bytes that are not a frame.
        public static let frameMalformed = Code(value: .frameMalformed)
        /// The trust roots cannot be read.
        public static let unusableTrustRoots = Code(value: .unusableTrustRoots)
    }

    /// The kind of failure.
    public let code: Code
    /// The failure, the rule it broke, and the remedy.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { self.message }

    /// Returns whether the codes are equal; messages are for people.
    public static func == (lhs: PushLinkError, rhs: PushLinkError) -> Bool { lhs.code == rhs.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.code) }
}
