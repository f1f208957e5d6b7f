public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// The store's record of a device token that was issued here.
public struct TokenRecord: Sendable, Hashable {
    /// The token.
    public let token: DeviceToken
    /// The device of the token.
    public let device: DeviceKey
    /// The only topic of the token.
    public let topic: String
    /// When the device last confirmed the token, or a push used it, to the precision of ``TokenDecision/usePrecision``.
    public let usedAt: WallTime
    /// Whether a push was ever accepted for the token.
    public let isPushed: Bool
    /// When the token ended; nil while it is registered.
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
