public import WhereaboutsAPNS

/// A message from the gateway to a device.
public enum GatewayMessage: Sendable, Hashable {
    /// The first message: the nonce that the device signs.
    case challenge(nonce: [UInt8])
    /// The device has proven its key, and must ping at this interval, in whole seconds.
    case welcome(keepalive: Duration)
    /// The token of a topic.
    case registered(topic: String, token: DeviceToken)
    /// The token of a topic is dead.
    case unregistered(topic: String)
    /// A push, which is sent once on every connection until it is acknowledged.
    case push(StoredPush)
    /// The answer to a ping.
    case pong(UInt64)
    /// The last message, with the reason why the gateway ends the connection.
    case goAway(reason: String)
}
