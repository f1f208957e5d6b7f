public import WhereaboutsVocabulary

/// The store's knowledge, beside the request itself, at the moment a request arrives.
public struct PriorRecords: Sendable, Hashable {
    /// How the sharer's device is registered.
    public enum Device: Sendable, Hashable {
        case unknown
        /// It was, but the push service or the sharer ended it.
        case paused
        case registered
    }

    /// Whether the request's id was seen before.
    public let isReplayed: Bool
    /// Whether the sharer revoked the grant.
    public let isRevoked: Bool
    /// How the sharer's device is registered.
    public let device: Device
    /// Until when the grant's ``Pace`` is paid for, if it still says anything.
    public let paidUntil: WallTime?
    /// Until when the device's budget of pushes is paid for, if it still says anything.
    public let devicePaidUntil: WallTime?
    /// The push under way that answers for the request, too, if there is one.
    public let wake: Wake?
    /// The requests of the device.
    public let load: RequestLoad

    /// Creates precedents.
    public init(
        isReplayed: Bool,
        isRevoked: Bool,
        device: Device,
        paidUntil: WallTime?,
        devicePaidUntil: WallTime? = nil,
        wake: Wake? = nil,
        load: RequestLoad
    ) {
        self.isReplayed = isReplayed
        self.isRevoked = isRevoked
        self.device = device
        self.paidUntil = paidUntil
        self.devicePaidUntil = devicePaidUntil
        self.wake = wake
        self.load = load
    }
}
