internal import DequeModule
internal import OrderedCollections
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The push gateway: its engines, with a model of its store and of its connections.
final class GatewayNode: Node {
    /// One connection of a device.
    private struct Link {
        var side: GatewaySide
        let connection: LinkConnection
        let alarm: Alarm
    }

    /// A connection of a provider.
    enum Provider: Hashable, Sendable {
        /// The sharing server's connection, in one of its lives.
        case server(life: UInt64)
        /// A connection of another team.
        case tenant(UInt64)

        fileprivate var team: String {
            switch self {
            case .server: ServerNode.team
            case .tenant: "TENANT"
            }
        }
    }

    /// The connections of providers, with a low limit, so that they are scarce at times.
    private var providers = ConnectionLimit<Provider, String>(connectionsMax: GatewayNode.providersMax)
    private var admitted: Set<Provider> = []
    private static let providersMax = 40
    /// The maximum number of delivered pushes that a lying gateway remembers.
    private static let deliveredMax = 8
    private static let sweepInterval = Duration.seconds(600)

    private(set) var contents = ModelPushContents()
    private var engine = Gateway()
    private var links: OrderedDictionary<LinkID, Link> = [:]
    private var random: SeededGenerator
    private var tickets: UInt64 = 0
    /// The disk's contents after each write, if the scenario rolls it back.
    private var history = DiskHistory(ModelPushContents())
    /// The pushes delivered last, which a lying gateway repeats.
    private(set) var delivered: Deque<StoredPush> = []
    /// Draws the lies of a lying gateway.
    var whims: SeededGenerator

    init(_ world: Simulation) {
        self.random = SeededGenerator(seed: world.scenario.seed ^ 0x6761_7465)
        self.whims = SeededGenerator(seed: world.scenario.seed ^ 0x6C69_6172)
        super.init(.gateway, world)
    }

    var wall: WallTime { WallTime(milliseconds: self.wallMicroseconds / 1000) }

    override func boot() throws {
        self.world.auditors.pushes.gatewayStarted(self.contents, now: self.wall)
        self.sweepLater()
    }

    override func lost() {
        self.engine = Gateway()
        self.providers = ConnectionLimit(connectionsMax: Self.providersMax)
        self.admitted = []
        for link in self.links.values { link.connection.closedByGateway() }
        self.links = [:]
    }

    /// The open connections, oldest first.
    var connections: [LinkConnection] { self.links.values.map(\.connection) }

    override func rollBack(by span: Duration) {
        self.kill(for: self.world.restartPause)
        self.contents = self.history.contents(self.world.now, before: span)
        self.world.auditors.pushes.gatewayRolledBack(self.contents)
        self.world.census.add("gateway is rolled back")
    }

    private func sweepLater() {
        self.later(Self.sweepInterval) { [unowned self] in
            _ = try self.handle(.sweepDue)
            self.sweepLater()
        }
    }

    // MARK: Providers

    /// Whether a provider with a valid token has a connection, or gets one.
    func admits(_ provider: Provider, from address: AddressBlock) -> Bool {
        guard !self.admitted.contains(provider) else { return true }
        if case .server = provider { self.closeOldConnections() }
        switch self.providers.arrived(provider, from: address) {
        case .admit: break
        case .replace(let other):
            self.admitted.remove(other)
            if case .server = other { self.world.auditors.hoards.refusedServer() }
        case .refuseAddress, .refuse: return false
        }
        guard self.providers.identified(provider, as: provider.team) == .keep else {
            self.providers.left(provider)
            return false
        }
        self.providers.showed(.known, provider)
        self.admitted.insert(provider)
        return true
    }

    /// Closes the connections of the server's earlier lives.
    private func closeOldConnections() {
        for case .server(let life) in Array(self.admitted) {
            self.admitted.remove(.server(life: life))
            self.providers.left(.server(life: life))
        }
    }

    /// Accepts a push from a provider, over HTTP.
    ///
    /// - Returns: why the push was rejected; nil if it is on disk.
    func push(_ push: ValidPush) throws -> Rejection? {
        self.tickets += 1
        self.world.auditors.privacy.passed(push.payload)
        let rejection = try self.handle(.pushReceived(push, ticket: self.tickets))
        self.world.trace.add(
            self.world.now,
            self.id,
            rejection == nil ? "takes a push" : "rejects a push",
            self.tickets
        )
        return rejection
    }

    // MARK: Devices

    func accepted(_ connection: LinkConnection) throws {
        let id = connection.id
        self.links[id] = Link(
            side: GatewaySide(id, from: connection.address, now: self.monotonic, using: &self.random),
            connection: connection,
            alarm: Alarm(self) { [unowned self] in try self.feed(.deadlineReached, to: id) }
        )
        try self.feed(.connected, to: id)
    }

    func received(_ message: DeviceMessage, on connection: LinkConnection) throws {
        try self.feed(.received(message), to: connection.id)
    }

    func ended(_ connection: LinkConnection) throws {
        try self.feed(.connectionEnded, to: connection.id)
        self.links[connection.id] = nil
    }

    private func feed(_ input: GatewaySide.Input, to id: LinkID) throws {
        let effects = self.links[id]?.side.handle(input, now: self.monotonic) ?? []
        for effect in effects { try self.perform(effect, of: id) }
        if let link = self.links[id] { link.alarm.follow(link.side.deadline) }
    }

    private func perform(_ effect: GatewaySide.Effect, of id: LinkID) throws {
        switch effect {
        case .send(let message):
            self.links[id]?.connection.send(message)
            try self.feed(.messageLeft(message), to: id)
        case .verify(let proof, let nonce): try self.feed(.proofChecked(isValid: proof.signature == nonce), to: id)
        case .feed(let input): _ = try self.handle(input)
        // The model's connections have no buffers, so that reading need not be paused.
        case .setReading: break
        case .disconnect:
            self.links[id]?.connection.closedByGateway()
            self.links[id] = nil
        }
    }

    // MARK: The engine

    /// Feeds the engine one input, in one transaction, and performs the outputs.
    private func handle(_ input: Gateway.Input) throws -> Rejection? {
        self.world.auditors.pushes.gatewayWill(input, self.contents)
        let transaction = ModelPushTransaction(self.contents)
        var outputs: [Gateway.Output]
        do {
            let now = Now(monotonic: self.monotonic, wall: self.wall)
            outputs = try self.engine.handle(input, transaction, random: &self.random, now: now)
            if transaction.hasChanged {
                try self.write { self.contents = transaction.contents }
                if self.world.rollsBack { self.history.append(self.contents, at: self.world.now) }
            }
            self.engine.committed()
        } catch is DiskFull {
            outputs = self.engine.commitFailed() + self.engine.failed(input)
        }
        self.world.auditors.pushes.gatewayDid(input, outputs, self.contents, now: self.wall)
        return try self.perform(outputs)
    }

    private func perform(_ outputs: [Gateway.Output]) throws -> Rejection? {
        var rejection: Rejection?
        for output in outputs {
            switch output {
            case .reply(_, let reply): rejection = reply
            case .deliver(let push, let link):
                self.delivered = Deque(self.delivered.suffix(Self.deliveredMax - 1)) + [push]
                try self.tell(.push(push), link)
            case .registered(let record, let link):
                try self.tell(.registered(topic: record.topic, token: record.token), link)
            case .unregistered(let topic, let link): try self.tell(.unregistered(topic: topic), link)
            case .finished(let link), .postponed(let link, _): try self.feed(.requestFinished, to: link)
            case .close(let link, let reason): try self.feed(.endDecided(reason: reason), to: link)
            // This gateway is no relay; `RelayNode` is one.
            case .relay, .answer, .relayNote: break
            case .trusted, .note, .expired: break
            }
        }
        return rejection
    }

    /// Sends a message to a device; in the model, devices read every message.
    private func tell(_ message: GatewayMessage, _ link: LinkID) throws {
        try self.feed(.messageDecided(message, isWritable: true), to: link)
    }
}
