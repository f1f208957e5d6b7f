public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// The store's record of a device token that was issued here.
public struct TokenRecord: Sendable, Hashable {
    /// The token.
    public let token: DeviceToken
    /// The device it leads to.
    public let device: DeviceKey
    /// The only topic it is for.
    public let topic: String
    /// When the device last confirmed it, or a push used it; up to some hours early.
    public let usedAt: WallTime
    /// Whether a push was ever accepted for it.
    public let isPushed: Bool
    /// Since when it is dead; nil while it is registered.
    public let unregisteredAt: WallTime?

    /// Creates a record.
    public init(
        token: DeviceToken,
        device: DeviceKey,
        topic: String,
        usedAt: WallTime,
        isPushed: Bool = false,
        unregisteredAt: WallTime? = nil
    ) {
        self.token = token
        self.device = device
        self.topic = topic
        self.usedAt = usedAt
        self.isPushed = isPushed
        self.unregisteredAt = unregisteredAt
    }
}
