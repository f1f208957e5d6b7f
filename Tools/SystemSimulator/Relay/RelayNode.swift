internal import DequeModule
internal import WhereaboutsAPNS
internal import WhereaboutsLocationEngine
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A vendor's relay between sharing servers and the gateway, which takes Apple's place: its engine, with a model of its store and of its
/// connection to Apple.
final class RelayNode: Node {
    /// The maximum number of pushes that a lying relay keeps.
    private static let keptMax = 8
    private static let sweepInterval = Duration.seconds(600)
    private static let team = "VENDOR"

    private(set) var contents = ModelPushContents()
    /// The disk's contents after each write, if the scenario rolls it back.
    private var history = DiskHistory(ModelPushContents())
    private var engine: Gateway
    private var random: SeededGenerator
    private var tickets: UInt64 = 0
    /// The callers that wait for the end of a push.
    private var waiting: [PushID: (Rejection?) -> Void] = [:]
    private lazy var client = ProviderClient(of: self, to: self.world.gateway)
    /// The lies it tells, and until when.
    var lies: [Scenario.RelayLie: Instant] = [:]
    /// The pushes that passed last, which a lying relay sends to others.
    var kept: Deque<ValidPush> = []
    /// Draws the acts of a lying relay.
    var whims: SeededGenerator
    private let apps: Set<String>

    init(_ world: Simulation) {
        self.random = SeededGenerator(seed: world.scenario.seed ^ 0x7265_6C61)
        self.whims = SeededGenerator(seed: world.scenario.seed ^ 0x6C69_6573)
        let appsMax = world.scenario.devices.map(\.apps.count).max() ?? 0
        self.apps = Set((0..<appsMax).map { Names.bundle($0).rawValue })
        self.engine = Gateway(relayedApps: self.apps)
        super.init(.relay, world)
    }

    var wall: WallTime { self.clocks.wall.wholeMilliseconds }

    override func boot() throws {
        self.world.auditors.relay.started(self)
        self.sweepLater()
    }

    override func lost() {
        self.engine = Gateway(relayedApps: self.apps)
        self.waiting = [:]
        self.client = ProviderClient(of: self, to: self.world.gateway)
    }

    override func rollBack(by span: Duration) {
        self.kill(for: self.world.restartPause)
        self.contents = self.history.contents(self.world.now, before: span)
        self.world.auditors.relay.rolledBack(self)
        self.world.census.add("relay is rolled back")
    }

    private func sweepLater() {
        self.later(Self.sweepInterval) { [unowned self] in
            _ = try self.handle(.sweepDue)
            self.sweepLater()
        }
    }

    // MARK: Senders

    /// Accepts a sender's push; `answer` receives its outcome once, unless this life ends before.
    func push(_ push: ValidPush, from sender: Sender, _ answer: @escaping (Rejection?) -> Void) throws {
        self.tickets += 1
        self.world.auditors.relay.saw(push, from: sender.name)
        for output in try self.handle(.pushReceived(push, from: sender, ticket: self.tickets)) {
            switch output {
            case .reply(_, let rejection): answer(rejection)
            case .relay(let push, let id, _):
                self.waiting[id] = answer
                try self.relay(push, id)
            case .answer, .deliver, .registered, .unregistered, .close, .finished, .postponed, .trusted, .note,
                .expired, .relayNote:
                break
            }
        }
    }

    // MARK: The engine

    /// Feeds the engine one input, in one transaction.
    private func handle(_ input: Gateway.Input) throws -> [Gateway.Output] {
        self.world.auditors.relay.will(input)
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
        self.world.auditors.relay.did(input, outputs, self)
        return outputs
    }

    /// Reports the outcome of a push under way, from Apple or invented by a lying relay.
    func ended(_ id: PushID, _ end: RelayEnd) throws {
        self.world.trace.add(self.world.now, self.id, "gets the end of a push", id.low)
        for case .answer(let id, let rejection) in try self.handle(.relayEnded(id, end)) {
            self.waiting.removeValue(forKey: id)?(rejection)
        }
    }

    // MARK: Apple

    /// Forwards a push, or a lying relay's payload in its place; `then` receives the outcome once.
    func send(
        _ push: ValidPush,
        payload: [UInt8]? = nil,
        as id: PushID?,
        then: @escaping (RelayEnd) throws -> Void
    ) throws {
        let payload = payload ?? push.payload
        let request = PushRequest(
            token: push.token,
            topic: push.topic,
            priority: push.priority,
            expiration: push.expiration,
            body: payload
        )
        let (apple, auditor) = (self.world.gateway, self.world.auditors.relay)
        auditor.leaves(payload, as: id, self)
        try self.client.send(timeout: Relay.timeout) { issuedAt, connection, answer in
            let claims = ProviderClaims(teamID: Self.team, keyID: "KEY", issuedAt: issuedAt, scope: .all)
            let valid: ValidPush
            do throws(Rejection) {
                let scope = try connection.service.requestBegan(.verified(claims), now: apple.wall)
                if let id { auditor.came(id) }
                valid = try request.validated(for: scope, id: push.id, now: apple.wall)
            } catch {
                if let id { auditor.refused(id) }
                return answer(error)
            }
            answer(try apple.push(valid))
        } ended: { outcome in
            let end = RelayEnd(outcome)
            if let id { auditor.told(id, end) }
            try then(end)
        }
    }

    /// Remembers a push, for later lies.
    func keep(_ push: ValidPush) { self.kept = Deque(self.kept.suffix(Self.keptMax - 1)) + [push] }
}

extension RelayEnd {
    /// The outcome of a push by the pool; a push is unsent only if Apple certainly did not act on it.
    fileprivate init(_ outcome: PushPool.Outcome) {
        self =
            switch outcome {
            case .answered(.accepted): .accepted
            case .answered(.rejected(let reason, let timestamp, _)):
                .rejected(reason, timestamp: timestamp.map { WallTime(milliseconds: $0) })
            case .answered(.unreadable), .lost, .timedOut(wasSent: true), .cancelled(wasSent: true): .unanswered
            case .timedOut(wasSent: false), .cancelled(wasSent: false), .unreachable, .refused, .full, .shutDown:
                .unsent(nil)
            }
    }
}
