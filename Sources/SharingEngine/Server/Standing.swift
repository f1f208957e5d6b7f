public import Vocabulary

/// The store's knowledge, beside the request itself, at the moment a request arrives.
public struct Standing: Sendable, Hashable {
    /// How the sharer's device is registered.
    public enum Device: Sendable, Hashable {
        /// Nothing was ever registered.
        case unknown
        /// It was, but the push service or the sharer ended it.
        case paused
        /// It takes pushes.
        case registered
    }

    /// Whether the request's id was seen before.
    public let isReplayed: Bool
    /// Whether the sharer revoked the grant.
    public let isRevoked: Bool
    /// How the sharer's device is registered.
    public let device: Device
    /// When the last request under the grant was accepted, if one was.
    public let lastAccepted: WallTime?
    /// How many requests of the device are unfinished.
    public let pendingCount: Int

    /// Creates a standing.
    public init(isReplayed: Bool, isRevoked: Bool, device: Device, lastAccepted: WallTime?, pendingCount: Int) {
        self.isReplayed = isReplayed
        self.isRevoked = isRevoked
        self.device = device
        self.lastAccepted = lastAccepted
        self.pendingCount = pendingCount
    }
}
