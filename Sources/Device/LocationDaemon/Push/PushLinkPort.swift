internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// An event on the connection to the push gateway.
enum PushLinkEvent: Sendable {
    /// The gateway knows this device.
    case connected
    /// There is no connection, and why; it is made again.
    case disconnected(String)
    /// The gateway gave an app's token.
    case registered(BundleID, [UInt8])
    /// The gateway took an app's token back.
    case unregistered(BundleID)
    /// A push came; it comes again until it is acknowledged.
    case push(Push)
}

/// The connection to the push gateway: one for all apps.
protocol PushLinkPort: Sendable {
    func register(_ bundle: BundleID)
    func unregister(_ bundle: BundleID)
    func enable(_ bundles: [BundleID])
    func acknowledge(_ push: PushID)
    /// Goes on to read what the gateway says, or leaves it in the network.
    func read(_ isOn: Bool)
    func stop()
}
