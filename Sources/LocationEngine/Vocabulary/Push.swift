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

    /// Creates a push.
    public init(id: PushID, bundle: BundleID, payload: [UInt8], expiration: WallTime?) {
        self.id = id
        self.bundle = bundle
        self.payload = payload
        self.expiration = expiration
    }
}
