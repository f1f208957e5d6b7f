public import APNS
public import Vocabulary

/// What the store knows about a device token that was issued here.
public struct TokenRecord: Sendable, Hashable {
    /// The token.
    public let token: DeviceToken
    /// The device it leads to.
    public let device: DeviceKey
    /// The only topic it is for.
    public let topic: String
    /// Since when it is dead; nil while it is registered.
    public let unregisteredAt: WallTime?

    /// Creates a record.
    public init(token: DeviceToken, device: DeviceKey, topic: String, unregisteredAt: WallTime? = nil) {
        self.token = token
        self.device = device
        self.topic = topic
        self.unregisteredAt = unregisteredAt
    }
}
