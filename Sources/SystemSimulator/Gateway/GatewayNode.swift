internal import APNS
internal import LocationSources
internal import OrderedCollections
internal import PushEngine
internal import Vocabulary

/// The push gateway: its engines, with a model of its store and of its connections.
final class GatewayNode: Node {
    /// One connection of a device.
    private struct Link {
        var side: GatewaySide
        let connection: LinkConnection
        let alarm: Alarm
    }

    private static let sweepInterval = Duration.seconds(600)

    /// On disk.
    private(set) var contents = ModelPushContents()
    private var engine = Gateway()
    private var links: OrderedDictionary<LinkID, Link> = [:]
    private var random: SeededGenerator
    private var tickets: UInt64 = 0

    init(_ world: Simulation) {
        self.random = SeededGenerator(seed: world.scenario.seed ^ 0x6761_7465)
        super.init(.gateway, world)
    }

    var wall: WallTime { WallTime(milliseconds: self.wallMicroseconds / 1000) }

    override func boot() throws {
        self.world.auditors.pushes.gatewayStarted(self.contents, now: self.wall)
        self.sweepLater()
    }

    override func lost() {
        self.engine = Gateway()
        for link in self.links.values { link.connection.closedByGateway() }
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

    func accepted(_ connection: LinkConnection) throws {
        let id = connection.id
        self.links[id] = Link(
            side: GatewaySide(id, now: self.monotonic, using: &self.random),
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
        case .send(let message): self.links[id]?.connection.send(message)
        case .verify(let proof, let nonce): try self.feed(.proofChecked(isValid: proof.signature == nonce), to: id)
        case .feed(let input): _ = try self.handle(input)
        case .disconnect:
            self.links[id]?.connection.closedByGateway()
            self.links[id] = nil
        }
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
        return try self.perform(outputs)
    }

    private func perform(_ outputs: [Gateway.Output]) throws -> Rejection? {
        var rejection: Rejection?
        for output in outputs {
            switch output {
            case .reply(_, let reply): rejection = reply
            case .deliver(let push, let link): try self.tell(.push(push), link)
            case .registered(let record, let link):
                try self.tell(.registered(topic: record.topic, token: record.token), link)
            case .unregistered(let topic, let link): try self.tell(.unregistered(topic: topic), link)
            case .close(let link, let reason): try self.feed(.endDecided(reason: reason), to: link)
            case .note: break
            }
        }
        return rejection
    }

    /// A device of the model reads whatever it is sent.
    private func tell(_ message: GatewayMessage, _ link: LinkID) throws {
        try self.feed(.messageDecided(message, isWritable: true), to: link)
    }
}
