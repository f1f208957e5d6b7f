public import WhereaboutsAPNS

/// The server's answer to a push, as it was read.
public enum PushVerdict: Sendable, Hashable {
    /// It took the push. `uniqueID` is the development environment's, for Apple's delivery log.
    case accepted(id: String?, uniqueID: String?)
    /// It did not. `timestamp`: when the device token stopped being valid, in milliseconds since 1970; for a 410.
    /// `relay`: a relay's part of the answer.
    case rejected(Reason, timestamp: Int64?, relay: RelayWord? = nil)
    /// Its answer is not one of APNs.
    case unreadable(status: Int?)
}
