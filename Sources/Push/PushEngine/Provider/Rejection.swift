public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Why a request was rejected, in the form of the response.
public struct Rejection: Error, Sendable, Hashable {
    /// The reason, which determines the status.
    public let reason: Reason
    /// When the device token stopped being valid; with 410 only.
    public let timestamp: WallTime?
    /// The relay's part of the answer; nil: it has none.
    public let relay: RelayWord?

    /// Creates a rejection.
    public init(_ reason: Reason, timestamp: WallTime? = nil, relay: RelayWord? = nil) {
        self.reason = reason
        self.timestamp = timestamp
        self.relay = relay
    }
}
