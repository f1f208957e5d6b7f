public import WhereaboutsAPNS

/// Why a push was not accepted, or may not have been.
public struct APNSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure, which may be extended.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Value: Sendable, Hashable {
            case rejected
            case cannotConnect
            case connectionLost
            case refused
            case deadlineExceeded
            case cancelled
            case tooManyInFlight
            case malformedPush
            case unexpectedResponse
            case badConfiguration
            case shutDown
        }

        private let value: Value

        /// The name of the kind, such as `connectionLost`, for a log or the label of a metric.
        public var description: String { "\(self.value)" }

        /// The server answered with an error; see ``APNSError/reason``.
        public static let rejected = Code(value: .rejected)
        /// No connection could be opened; nothing was sent.
        public static let cannotConnect = Code(value: .cannotConnect)
        /// The connection ended before the answer; whether the push was accepted is unknown.
        public static let connectionLost = Code(value: .connectionLost)
        /// The server refused the request each time it was sent; it was not accepted.
        public static let refused = Code(value: .refused)
        /// No answer arrived before the deadline; see ``APNSError/mayHaveBeenAccepted``.
        public static let deadlineExceeded = Code(value: .deadlineExceeded)
        /// The task that sent it was cancelled; see ``APNSError/mayHaveBeenAccepted``.
        public static let cancelled = Code(value: .cancelled)
        /// The client's limit of pushes in progress is reached; nothing was sent.
        public static let tooManyInFlight = Code(value: .tooManyInFlight)
        /// Every server would reject the push; nothing was sent.
        public static let malformedPush = Code(value: .malformedPush)
        /// The answer does not follow APNs' protocol.
        public static let unexpectedResponse = Code(value: .unexpectedResponse)
        /// The configuration is invalid, so there is no client.
        public static let badConfiguration = Code(value: .badConfiguration)
        /// The client was shut down; nothing was sent.
        public static let shutDown = Code(value: .shutDown)
    }

    /// The kind of failure.
    public let code: Code
    /// The failure, and the remedy.
    public let message: String
    /// The next step.
    public let remedy: Remedy
    /// The server's reason, for ``Code/rejected``; the reason that servers would give, for ``Code/malformedPush``.
    public let reason: Reason?
    /// When the device token stopped being valid, in milliseconds since the UNIX epoch; for a 410.
    public let unregisteredAt: Int64?

    init(
        _ code: Code,
        _ message: String,
        _ remedy: Remedy,
        reason: Reason? = nil,
        unregisteredAt: Int64? = nil
    ) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.reason = reason
        self.unregisteredAt = unregisteredAt
    }

    /// Whether the push may have been accepted anyway.
    public var mayHaveBeenAccepted: Bool { self.remedy == .decide }

    /// The message.
    public var description: String { self.message }

    /// Returns whether codes and reasons are equal; messages are for people.
    public static func == (lhs: APNSError, rhs: APNSError) -> Bool {
        lhs.code == rhs.code && lhs.reason == rhs.reason && lhs.unregisteredAt == rhs.unregisteredAt
    }

    /// Hashes code and reason.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.code)
        hasher.combine(self.reason)
        hasher.combine(self.unregisteredAt)
    }
}
