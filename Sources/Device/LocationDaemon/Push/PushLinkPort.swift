internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// An event on the connection to the push gateway.
enum PushLinkEvent: Sendable {
    /// The gateway knows this device.
    case connected
    /// There is no connection, for that reason; it is being made again.
    case disconnected(String)
    /// The gateway gave an app's token.
    case registered(BundleID, [UInt8])
    /// The gateway ended an app's token.
    case unregistered(BundleID)
    /// A push arrived, and will arrive again until it is acknowledged.
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
