public import WhereaboutsVocabulary

/// The store's knowledge when a request arrives, besides the request itself.
public struct PriorRecords: Sendable, Hashable {
    /// How the sharer's device is registered.
    public enum Device: Sendable, Hashable {
        case unknown
        /// The registration was paused by the push service or the sharer.
        case paused
        case registered
    }

    /// Whether the request's id was seen before.
    public let isReplayed: Bool
    /// Whether the sharer revoked the grant.
    public let isRevoked: Bool
    /// How the sharer's device is registered.
    public let device: Device
    /// The date of the grant's ``Pace``; nil if it has passed.
    public let paidUntil: WallTime?
    /// The date of the ``Pace`` of the sharer's pushes; nil if it has passed.
    public let pushesPaidUntil: WallTime?
    /// The push in flight that also answers the request, if there is one.
    public let wake: Wake?
    /// The requests to the sharer.
    public let load: RequestLoad

    /// Creates precedents.
    public init(
        isReplayed: Bool,
        isRevoked: Bool,
        device: Device,
        paidUntil: WallTime?,
        pushesPaidUntil: WallTime? = nil,
        wake: Wake? = nil,
        load: RequestLoad
    ) {
        self.isReplayed = isReplayed
        self.isRevoked = isRevoked
        self.device = device
        self.paidUntil = paidUntil
        self.pushesPaidUntil = pushesPaidUntil
        self.wake = wake
        self.load = load
    }
}
