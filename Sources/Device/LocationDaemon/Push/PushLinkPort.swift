internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// An event on the connection to the push gateway.
enum PushLinkEvent: Sendable {
    /// The gateway has accepted this device.
    case connected
    /// The device is not connected, for this reason, and keeps trying.
    case disconnected(String)
    /// The gateway issued a device token for an app.
    case registered(BundleID, [UInt8])
    /// The gateway revoked an app's device token.
    case unregistered(BundleID)
    /// A push arrived; the gateway sends it again until it is acknowledged.
    case push(Push)
}

/// The connection to the push gateway: one for all apps.
protocol PushLinkPort: Sendable {
    func register(_ bundle: BundleID)
    func unregister(_ bundle: BundleID)
    func enable(_ bundles: [BundleID])
    func acknowledge(_ push: PushID)
    /// Resumes or pauses reading from the gateway.
    func read(_ isOn: Bool)
    func stop()
}
