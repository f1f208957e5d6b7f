internal import Crypto
internal import Logging
internal import NIOCore
internal import WhereaboutsAPNS
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink
internal import WhereaboutsVocabulary

/// The connection to the push gateway, as the core sees it.
final class GatewayLink: PushLinkPort {
    /// The longest reason for a lost link, in bytes: two lines on a terminal.
    static let reasonBytesMax = 200

    private let client: PushLinkClient

    init(
        _ gateway: DaemonConfiguration.GatewayAddress,
        key: Curve25519.Signing.PrivateKey,
        group: any EventLoopGroup,
        logger: Logger,
        events: @escaping @Sendable (PushLinkEvent) -> Void
    ) throws {
        self.client = try PushLinkClient(
            configuration: PushLinkClient.Configuration(
                host: gateway.host,
                port: gateway.port,
                trustRootsPath: gateway.trustRootsPath
            ),
            key: key,
            group: group,
            logger: logger
        ) { event in
            switch event {
            case .connected: events(.connected)
            // The reason may contain text from the gateway.
            case .disconnected(let reason): events(.disconnected(reason.shown(bytesMax: Self.reasonBytesMax)))
            case .registered(let topic, let token):
                if let bundle = BundleID(locationTopic: topic) { events(.registered(bundle, token.bytes)) }
            case .unregistered(let topic):
                if let bundle = BundleID(locationTopic: topic) { events(.unregistered(bundle)) }
            case .push(let push):
                if let push = Push(push, received: Clocks.now().monotonic) { events(.push(push)) }
            }
        }
        self.client.start()
    }

    func register(_ bundle: BundleID) { self.client.register(topic: bundle.locationTopic) }
    func unregister(_ bundle: BundleID) { self.client.unregister(topic: bundle.locationTopic) }
    func enable(_ bundles: [BundleID]) { self.client.setTopics(bundles.map(\.locationTopic)) }
    func read(_ isOn: Bool) { self.client.read(isOn) }
    func stop() { self.client.shutdown() }

    func acknowledge(_ push: PushID) { self.client.acknowledge(push) }
}
