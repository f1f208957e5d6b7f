public import WhereaboutsAPNS

/// The server's answer to a push.
public enum PushVerdict: Sendable, Hashable {
    /// The answer to a request that the server accepted.
    public struct Acceptance: Sendable, Hashable {
        /// The HTTP status.
        public let status: Int
        /// The ID of the push or the request.
        public let id: String?
        /// The ID in Apple's delivery log.
        public let uniqueID: String?
        /// The channel that was created.
        public let channelID: String?
        /// The answer to a question about channels.
        public let body: [UInt8]

        /// Describes an answer.
        public init(
            status: Int = 200,
            id: String? = nil,
            uniqueID: String? = nil,
            channelID: String? = nil,
            body: [UInt8] = []
        ) {
            self.status = status
            self.id = id
            self.uniqueID = uniqueID
            self.channelID = channelID
            self.body = body
        }
    }

    /// The server accepted the push.
    case accepted(Acceptance)
    /// The server rejected the push.
    ///
    /// `timestamp`: when the device token stopped being valid, in milliseconds since 1970, for a 410. `relay`: a
    /// relay's part of the answer.
    case rejected(Reason, timestamp: Int64?, relay: RelayWord? = nil)
    /// The answer does not follow APNs' protocol.
    case unreadable(status: Int?)
}
