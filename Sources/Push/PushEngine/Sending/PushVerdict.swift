public import WhereaboutsAPNS

/// The server's answer to a push.
public enum PushVerdict: Sendable, Hashable {
    /// The server accepted the push.
    ///
    /// `uniqueID` is the ID in Apple's delivery log, in the development environment.
    case accepted(id: String?, uniqueID: String?)
    /// The server rejected the push.
    ///
    /// `timestamp`: when the device token stopped being valid, in milliseconds since 1970, for a 410. `relay`: a
    /// relay's part of the answer.
    case rejected(Reason, timestamp: Int64?, relay: RelayWord? = nil)
    /// The answer does not follow APNs' protocol.
    case unreadable(status: Int?)
}
