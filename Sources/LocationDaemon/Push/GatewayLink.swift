internal import APNS
internal import Crypto
internal import LocationEngine
internal import Logging
internal import NIOCore
internal import PushEngine
internal import PushLink
internal import Vocabulary

/// The connection to the push gateway, in the engine's words.
final class GatewayLink: PushLinkPort {
    /// The longest reason of a lost link, in bytes: two lines on a terminal.
    static let reasonBytesMax = 200

    private let client: PushLinkClient

    /// Begins to connect.
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
            // The gateway's own words, perhaps.
            case .disconnected(let reason): events(.disconnected(reason.shown(bytesMax: Self.reasonBytesMax)))
            case .registered(let topic, let token):
                if let bundle = Self.bundle(of: topic) { events(.registered(bundle, token.bytes)) }
            case .unregistered(let topic):
                if let bundle = Self.bundle(of: topic) { events(.unregistered(bundle)) }
            case .push(let push):
                if let push = Self.push(push) { events(.push(push)) }
            }
        }
        self.client.start()
    }

    func register(_ bundle: BundleID) { self.client.register(topic: Self.topic(of: bundle)) }
    func unregister(_ bundle: BundleID) { self.client.unregister(topic: Self.topic(of: bundle)) }
    func enable(_ bundles: [BundleID]) { self.client.setTopics(bundles.map(Self.topic)) }
    func read(_ isOn: Bool) { self.client.read(isOn) }
    func stop() { self.client.shutdown() }

    func acknowledge(_ push: PushID) { self.client.acknowledge(push) }

    private static func topic(of bundle: BundleID) -> String {
        PushType.location.topic(bundleIdentifier: bundle.rawValue)
    }

    private static func bundle(of topic: String) -> BundleID? {
        PushType.location.bundleIdentifier(of: topic).flatMap { AppBundle.isIdentifier($0) ? BundleID($0) : nil }
    }

    /// The longest identifier that providers may give (Apple: "Sending notification requests to APNs", apns-collapse-id).
    private static let collapseIDBytesMax = 64

    /// A push in the engine's words; nil for one of another topic.
    static func push(_ push: StoredPush) -> Push? {
        guard let bundle = self.bundle(of: push.topic) else { return nil }
        return Push(
            id: push.id,
            bundle: bundle,
            payload: push.payload,
            isObject: PushPayload.isObject(push.payload),
            priority: Push.Priority(rawValue: push.priority.rawValue) ?? .passive,
            collapseID: push.collapseID?.cut(toBytes: Self.collapseIDBytesMax),
            expiration: push.expiration.date,
            received: Clocks.now().monotonic
        )
    }
}

extension Expiration {
    /// Until when a push is of use; nil: the gateway tried it once, and so does the device.
    fileprivate var date: WallTime? {
        switch self {
        case .once: nil
        case .until(let seconds): WallTime(seconds: seconds)
        }
    }
}
