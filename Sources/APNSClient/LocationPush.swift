public import APNS

/// A push that asks a device for its location.
public struct LocationPush: Sendable, Hashable {
    /// The token that the app got for location pushes.
    public var token: DeviceToken
    /// The app's bundle identifier, not the extension's.
    public var bundleIdentifier: String
    /// A JSON object in UTF-8, at most 4096 bytes.
    public var payload: [UInt8]
    /// 10 when someone waits, else 5.
    public var priority: Priority
    /// Until when the push is worth delivering.
    public var expiration: Expiration
    /// The push's id; nil: the client draws one.
    public var id: MessageID?

    /// Creates a push.
    public init(
        token: DeviceToken,
        bundleIdentifier: String,
        payload: [UInt8],
        priority: Priority,
        expiration: Expiration,
        id: MessageID? = nil
    ) {
        self.token = token
        self.bundleIdentifier = bundleIdentifier
        self.payload = payload
        self.priority = priority
        self.expiration = expiration
        self.id = id
    }
}
