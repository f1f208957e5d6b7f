internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// All strangers, on one machine: they have no disk, grants only from themselves, and as many keys as they like.
///
/// They send messages to the gateway and the server over the same network as all other machines.
final class StrangerNode: Node {
    /// The maximum number of links that they hold open at a time; older ones are closed.
    private static let linksMax = 64
    /// How long they wait for an answer.
    static let timeout = Duration.seconds(5)
    /// Valid and invalid topics.
    private static let topics = [
        "sim.app0.location-query", "sim.app0", "", "a", "a\0b", "a\r\nb", "\u{301}", String(repeating: "t", count: 255),
        String(repeating: "t", count: 256), "a b", "a/../b",
    ]

    var random: SeededGenerator
    private var keys = 0
    /// All links that were ever opened, so that a late message finds an old link.
    private var links: [StrangerPeer] = []
    var hoard = Hoard()
    /// The number of storms under way; 0 in a healed world.
    private var blowing = 0

    init(_ world: Simulation) {
        self.random = SeededGenerator(seed: world.scenario.seed ^ 0x7374_7261)
        super.init(.stranger, world)
    }

    /// Whether a storm is under way.
    var isBlowing: Bool { self.blowing > 0 }

    /// Repeats the attack of a storm until `end`.
    func blow(_ storm: Scenario.Storm, until end: Instant, every pause: Duration) {
        self.blowing += 1
        self.go(on: storm, until: end, every: pause)
    }

    private func go(on storm: Scenario.Storm, until end: Instant, every pause: Duration) {
        guard self.world.now < end else { return self.blowing -= 1 }
        self.later(pause) { [unowned self] in
            self.world.census.add("strangers: \(storm.rawValue)")
            switch storm {
            case .links: self.open(provesKey: true)
            case .strays: self.open(provesKey: false)
            case .registrations: self.register()
            case .requests: self.request()
            case .pushes: self.push()
            case .streams: self.holdStream()
            case .providers: self.holdConnection()
            case .reusedIDs: self.askWithOneID()
            }
            self.go(on: storm, until: end, every: pause)
        }
    }

    private func nextKey() -> [UInt8] {
        self.keys += 1
        return Names.key(9, self.keys, 0)
    }

    private func topic() -> String { Self.topics[Int.random(in: Self.topics.indices, using: &self.random)] }

    // MARK: The gateway

    func open(provesKey: Bool) {
        if self.links.count >= Self.linksMax {
            self.links[self.links.count - Self.linksMax].connection?.closedByDevice()
        }
        let link = StrangerPeer(self, key: provesKey ? DeviceKey(bytes: self.nextKey()) : nil)
        self.links.append(link)
        link.open()
    }

    /// The messages of a link after the gateway accepted its key.
    func flood() -> [DeviceMessage] {
        let topics = (0..<4).map { _ in self.topic() }
        var messages: [DeviceMessage] = topics.map { .request(.register(topic: $0)) }
        messages.append(.request(.enableTopics(topics)))
        messages.append(.request(.unregister(topic: self.topic())))
        messages.append(
            .request(.acknowledge(id: Array(repeating: 0, count: Int.random(in: 0...32, using: &self.random))))
        )
        return messages + (0..<6).map { .ping($0 == 0 ? .max : $0) }
    }

    private func push() {
        let gateway = self.world.gateway
        self.world.call(from: self.id, to: gateway, timeout: Self.timeout) {
            var seen = ProviderConnection(now: gateway.monotonic)
            do throws(Rejection) {
                _ = try seen.requestBegan(.badSignature, now: gateway.wall)
                gateway.world.fail("the gateway accepted a push without a provider token")
            } catch {
                gateway.world.census.add("a stranger's push is rejected")
            }
        } then: { _ in
        }
    }

    // MARK: The server

    func identity() -> PublicIdentity {
        PublicIdentity(bytes: self.nextKey()) ?? Names.requester(-1)
    }

    /// Registers a device with the server, unless a registration cannot contain the values.
    func register(_ sharer: PublicIdentity, topic: String, token: [UInt8]? = nil) {
        let token = token ?? (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &self.random) }
        guard
            let device = try? RegisteredDevice(
                id: DeviceID(using: &self.random),
                chosen: WallTime(microseconds: .max),
                pushKey: self.nextKey(),
                sealedName: Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount)
            ),
            let registration = try? Registration(
                sharer: sharer,
                token: token,
                topic: topic,
                issued: WallTime(microseconds: .max),
                device: device
            )
        else { return }
        let (server, address) = (self.world.server, self.id.address)
        self.world.call(from: self.id, to: server, timeout: Self.timeout) {
            try server.register(ModelNotary.sign(registration), from: address)
        } then: { _ in
        }
    }

    private func register() {
        let sharer = self.identity()
        self.register(sharer, topic: self.topic())
        let revocation = Revocation(
            grant: GrantID(using: &self.random),
            sharer: sharer,
            notAfter: WallTime(microseconds: .max)
        )
        let (server, address) = (self.world.server, self.id.address)
        self.world.call(from: self.id, to: server, timeout: Self.timeout) {
            try server.revoke(ModelNotary.sign(revocation), from: address)
        } then: { _ in
        }
    }

    /// Sends a request to itself, with a key to which nothing can be sealed.
    private func request() {
        let identity = self.identity()
        self.register(identity, topic: "sim.app0")
        let grant = Grant(
            id: GrantID(using: &self.random),
            sharer: identity,
            requester: identity,
            precision: .full,
            notBefore: WallTime(microseconds: .min),
            notAfter: WallTime(microseconds: .max),
            intervalMin: 0
        )
        let server = self.world.server
        for _ in 0..<4 {
            let request = Request(
                under: ModelNotary.sign(grant),
                precision: .full,
                suite: .x25519,
                publicKey: Array(repeating: 0xFF, count: Suite.x25519.publicKeyByteCount),
                using: &self.random,
                now: self.clocks.wall
            )
            self.world.call(from: self.id, to: server, timeout: Self.timeout) {
                try server.admit(ModelNotary.sign(request))
            } then: { _ in
            }
        }
    }
}

/// One link of a stranger: it proves its key and floods the link, or breaks the protocol.
final class StrangerPeer: LinkPeer {
    private unowned let stranger: StrangerNode
    /// The key that the link proves; nil: the link breaks the protocol.
    private let key: DeviceKey?
    private(set) var connection: LinkConnection?

    init(_ stranger: StrangerNode, key: DeviceKey?) {
        self.stranger = stranger
        self.key = key
    }

    var node: Node { self.stranger }

    func open() {
        let connection = LinkConnection(self, self.stranger.world)
        self.connection = connection
        connection.open()
        // The first message has to be the proof.
        if self.key == nil { connection.send(.request(.register(topic: "sim.app0"))) }
    }

    func received(_ message: GatewayMessage, on connection: LinkConnection) throws {
        switch message {
        case .challenge(let nonce):
            guard let key else {
                return connection.send(.proof(LinkProof(device: DeviceKey(bytes: nonce), signature: [])))
            }
            connection.send(.proof(LinkProof(device: key, signature: nonce)))
        case .welcome: for message in self.stranger.flood() { connection.send(message) }
        // Pushes are never acknowledged; other messages are ignored.
        case .registered(let topic, let token): self.stranger.registered(topic, token)
        case .unregistered, .push, .pong, .goAway: break
        }
    }

    func ended(_ connection: LinkConnection, _ reason: String) throws {
        self.stranger.world.census.add("a stranger's link ends")
    }
}
