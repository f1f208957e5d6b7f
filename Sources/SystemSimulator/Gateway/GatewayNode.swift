internal import APNS
internal import LocationSources
internal import OrderedCollections
internal import PushEngine

/// The push gateway: its engine, with a model of its store and of its connections.
final class GatewayNode: Node {
    /// What the gateway sends to a device.
    enum Frame {
        case push(StoredPush)
        case registered(TokenRecord)
        case unregistered(topic: String)
    }

    /// How long a device that is gone is believed to be there: three keepalive intervals (protocol document).
    private static let silenceMax = Duration.seconds(180)
    private static let sweepInterval = Duration.seconds(600)

    /// On disk.
    private(set) var contents = ModelPushContents()
    private var engine = Gateway()
    private var links: OrderedDictionary<LinkID, PushLink> = [:]
    private var random: SplitMix64
    private var tickets: UInt64 = 0

    init(_ world: Simulation) {
        self.random = SplitMix64(seed: world.scenario.seed ^ 0x6761_7465)
        super.init(.gateway, world)
    }

    var wall: WallTime { WallTime(milliseconds: self.wallMicroseconds / 1000) }

    override func boot() throws {
        self.world.auditors.pushes.gatewayStarted(self.contents, now: self.wall)
        self.sweepLater()
    }

    override func lost() {
        self.engine = Gateway()
        for link in self.links.values { link.gatewayLost() }
        self.links = [:]
    }

    private func sweepLater() {
        self.later(Self.sweepInterval) { [unowned self] in
            _ = try self.handle(.sweepDue)
            self.sweepLater()
        }
    }

    // MARK: Providers

    /// Takes a push from a provider, over HTTP.
    ///
    /// - Returns: why it was not taken; nil when it is on disk.
    func push(_ push: ValidPush) throws -> Rejection? {
        self.tickets += 1
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

    func opened(_ link: PushLink) throws {
        self.links[link.id] = link
        _ = try self.handle(.linkOpened(link.id, link.device.key))
    }

    /// The connection ended, as the gateway learns sooner or later.
    func closed(_ link: PushLink) throws {
        guard self.links.removeValue(forKey: link.id) != nil else { return }
        _ = try self.handle(.linkClosed(link.id, link.device.key))
    }

    /// Nothing comes any more on a connection, but nothing says that it ended.
    func fellSilent(_ link: PushLink) {
        self.later(Self.silenceMax) { [unowned self] in try self.closed(link) }
    }

    func requested(_ request: Gateway.DeviceRequest, on link: PushLink) throws {
        guard self.links[link.id] != nil else { return }
        _ = try self.handle(.requested(request, link.id, link.device.key))
    }

    // MARK: The engine

    /// Feeds the engine one input and does what it says; one input is one transaction.
    private func handle(_ input: Gateway.Input) throws -> Rejection? {
        self.world.auditors.pushes.gatewayWill(input, self.contents)
        let transaction = ModelPushTransaction(self.contents)
        var outputs: [Gateway.Output]
        do {
            outputs = try self.engine.handle(input, transaction, random: &self.random, now: self.wall)
            if transaction.hasChanged { try self.write { self.contents = transaction.contents } }
        } catch is DiskFull {
            outputs = self.engine.storeFailed()
            switch input {
            case .pushReceived(_, let ticket): outputs.append(.reply(ticket: ticket, Rejection(.internalServerError)))
            case .linkOpened(let link, _), .requested(_, let link, _):
                outputs.append(.close(link, reason: Gateway.storeFailure))
            case .linkClosed, .sweepDue: break
            }
        }
        self.world.auditors.pushes.gatewayDid(input, outputs, self.contents, now: self.wall)
        return self.perform(outputs)
    }

    private func perform(_ outputs: [Gateway.Output]) -> Rejection? {
        var rejection: Rejection?
        for output in outputs {
            switch output {
            case .reply(_, let reply): rejection = reply
            case .deliver(let push, let link): self.links[link]?.send(.push(push))
            case .registered(let record, let link): self.links[link]?.send(.registered(record))
            case .unregistered(let topic, let link): self.links[link]?.send(.unregistered(topic: topic))
            case .close(let link, _): self.links.removeValue(forKey: link)?.gatewayLost()
            case .note: break
            }
        }
        return rejection
    }
}
