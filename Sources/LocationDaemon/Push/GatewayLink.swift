internal import Crypto
internal import LocationEngine
internal import Logging
internal import NIOCore
internal import PushLink

/// The connection to the push gateway, in the engine's words.
final class GatewayLink: PushLinkHost {
    /// What follows the bundle identifier in the topic of location pushes (Apple: "Sending notification requests").
    private static let topicSuffix = ".location-query"

    private let client: PushLinkClient

    /// Begins to connect.
    init(
        _ gateway: DaemonConfiguration.Gateway,
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
            case .disconnected(let reason): events(.disconnected(reason))
            case .registered(let topic, let token):
                if let bundle = Self.bundle(of: topic) { events(.registered(bundle, token)) }
            case .unregistered(let topic):
                if let bundle = Self.bundle(of: topic) { events(.unregistered(bundle)) }
            case .push(let push):
                if let push = Self.push(push) { events(.push(push)) }
            }
        }
        self.client.start()
    }

    func register(_ bundle: BundleID) { self.client.register(topic: bundle.rawValue + Self.topicSuffix) }
    func unregister(_ bundle: BundleID) { self.client.unregister(topic: bundle.rawValue + Self.topicSuffix) }
    func enable(_ bundles: [BundleID]) { self.client.setTopics(bundles.map { $0.rawValue + Self.topicSuffix }) }
    func stop() { self.client.shutdown() }

    func acknowledge(_ push: PushID) {
        let bytes = [push.high, push.low].flatMap { half in
            (0..<8).map { UInt8(truncatingIfNeeded: half >> (56 - 8 * $0)) }
        }
        self.client.acknowledge(pushID: bytes)
    }

    private static func bundle(of topic: String) -> BundleID? {
        topic.hasSuffix(self.topicSuffix) ? BundleID(String(topic.dropLast(self.topicSuffix.count))) : nil
    }

    /// A push in the engine's words; nil for one of another topic or with an identifier of another length.
    private static func push(_ push: PushLinkClient.Push) -> Push? {
        guard let bundle = self.bundle(of: push.topic), push.id.count == 16 else { return nil }
        let halves = [push.id.prefix(8), push.id.suffix(8)].map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return Push(
            id: PushID(high: halves[0], low: halves[1]),
            bundle: bundle,
            payload: push.payload,
            isObject: PushPayload.isObject(push.payload),
            // The gateway lets only Apple's three through; of a later one the most cautious reading holds.
            priority: Push.Priority(rawValue: push.priority) ?? .passive,
            collapseID: push.collapseID,
            // 0: the gateway tried this once, and so does the device.
            expiration: push.expiration == 0 ? nil : WallTime(microseconds: push.expiration * 1_000_000),
            received: Clocks.now().monotonic
        )
    }
}
