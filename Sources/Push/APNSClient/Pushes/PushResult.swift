public import WhereaboutsAPNS

/// The outcome of a push: accepted, rejected, or failed.
public enum PushResult: Sendable, Hashable {
    /// The server accepted the push, and will try to deliver it.
    case accepted(Accepted)
    /// The server rejected the push.
    case rejected(Rejected)
    /// The server did not answer.
    case failed(APNSError)

    /// A push that was accepted.
    public struct Accepted: Sendable, Hashable {
        /// The push's id.
        public let apnsID: String?
        /// The ID in Apple's delivery log; only in the development environment.
        public let uniqueID: String?
    }

    /// A push that was rejected.
    public struct Rejected: Sendable, Hashable {
        /// The server's reason.
        public let reason: Reason
        /// When the device token stopped being valid, in milliseconds since the UNIX epoch; for a 410.
        public let timestamp: Int64?
        /// The relay's part of the answer; nil if no relay answered.
        ///
        /// With ``APNS/RelayWord/apple`` the reason is Apple's; otherwise it is the relay's own.
        public let relay: RelayWord?
        /// The next step.
        public var remedy: Remedy { self.relay?.remedy ?? self.reason.remedy }
        /// The reason as text, and the remedy.
        public var advice: String { self.relay?.advice ?? self.reason.advice }
    }

    /// Returns the acceptance.
    ///
    /// - Throws: a rejection or a failure, as an error.
    public func get() throws(APNSError) -> Accepted {
        switch self {
        case .accepted(let accepted): return accepted
        case .failed(let error): throw error
        case .rejected(let rejected):
            throw APNSError(
                .rejected,
                "the request was rejected (\(rejected.reason.status) \(rejected.reason.rawValue)): \(rejected.advice)",
                rejected.remedy,
                reason: rejected.reason,
                unregisteredAt: rejected.timestamp
            )
        }
    }
}
