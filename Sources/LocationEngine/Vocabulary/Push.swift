/// A location push as it reached the device.
public struct Push: Sendable, Hashable {
    /// The gateway's identifier.
    public var id: PushID
    /// The app it is for.
    public var bundle: BundleID
    /// The JSON the provider sent, as bytes.
    public var payload: [UInt8]
    /// When it is of no use any more; nil when it never expires.
    public var expiration: WallTime?

    /// When it reached the device.
    public var received: EngineInstant

    /// Creates a push.
    public init(id: PushID, bundle: BundleID, payload: [UInt8], expiration: WallTime?, received: EngineInstant) {
        self.id = id
        self.bundle = bundle
        self.payload = payload
        self.expiration = expiration
        self.received = received
    }
}
