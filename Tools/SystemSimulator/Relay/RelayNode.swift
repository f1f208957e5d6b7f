internal import DequeModule
internal import WhereaboutsAPNS
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A vendor's relay between sharing servers and the gateway, which has Apple's place: its engine, with a model of its store and of its
/// connection to Apple.
final class RelayNode: Node {
    /// The most pushes that a liar keeps.
    private static let keptMax = 8
    private static let sweepInterval = Duration.seconds(600)
    private static let team = "VENDOR"

    private final class Connection {
        var seenByApple: ProviderConnection

        init(now: EngineInstant) {
            self.seenByApple = ProviderConnection(now: now)
        }
    }

    private(set) var contents = ModelPushContents()
    /// The disk as it was after each write, where the scenario rolls it back.
    private var history = DiskHistory(ModelPushContents())
    private var engine: Gateway
    private var random: SeededGenerator
    private var tickets: UInt64 = 0
    /// The callers that wait for the end of a push.
    private var waiting: [PushID: (Rejection?) -> Void] = [:]
    private lazy var connection = Connection(now: self.monotonic)
    private var tokenIssued: WallTime?
    /// The lies it tells, and until when.
    var lies: [Scenario.RelayLie: Instant] = [:]
    /// The pushes that passed last, which a liar sends to others.
    var kept: Deque<ValidPush> = []
    /// Draws what a liar does.
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
        self.connection = Connection(now: self.monotonic)
        self.tokenIssued = nil
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

    /// Takes a push of a sender's; `answer` receives its end once, unless this life ends before.
    func push(_ push: ValidPush, from sender: Sender, _ answer: @escaping (Rejection?) -> Void) throws {
        self.tickets += 1
        self.world.auditors.relay.saw(push, from: sender.name)
        for output in try self.handle(.pushReceived(push, from: sender, ticket: self.tickets)) {
            switch output {
            case .reply(_, let rejection): answer(rejection)
            case .relay(let push, let id, _):
                self.waiting[id] = answer
                self.relay(push, id)
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

    /// Reports the end of a push that is under way, as Apple told it or a liar says.
    func ended(_ id: PushID, _ end: RelayEnd) throws {
        self.world.trace.add(self.world.now, self.id, "gets the end of a push", id.low)
        for case .answer(let id, let rejection) in try self.handle(.relayEnded(id, end)) {
            self.waiting.removeValue(forKey: id)?(rejection)
        }
    }

    // MARK: Apple

    /// Sends a push on, or a liar's payload in its place; `then` receives its end once.
    func send(
        _ push: ValidPush,
        payload: [UInt8]? = nil,
        as id: PushID?,
        then: @escaping (RelayEnd) throws -> Void
    ) {
        let payload = payload ?? push.payload
        let request = Self.request(push, payload)
        let evidence = ProviderTokenEvidence.verified(
            ProviderClaims(teamID: Self.team, keyID: "KEY", issuedAt: self.providerToken(), scope: .all)
        )
        let (apple, connection, life) = (self.world.gateway, self.connection, self.life)
        self.world.auditors.relay.leaves(payload, as: id, self)
        self.world.exchange(from: self.id, to: apple, timeout: Relay.timeout) { [unowned self] answer in
            if let id { self.world.auditors.relay.came(id) }
            let valid: ValidPush
            do throws(Rejection) {
                let scope = try connection.seenByApple.requestBegan(evidence, now: apple.wall)
                valid = try request.validated(for: scope, id: push.id, now: apple.wall)
            } catch { return answer(error) }
            answer(try apple.push(valid))
        } then: { [unowned self] (result: Result<Rejection?, NetworkError>) in
            guard self.life == life else { return }
            self.perform {
                let end = Self.end(result)
                // The client's pool begins again with a token of now, where its own was not taken.
                if case .rejected(let reason, _) = end, reason.status == 403 || reason == .tooManyProviderTokenUpdates {
                    self.connection = Connection(now: self.monotonic)
                    self.tokenIssued = nil
                }
                if let id { self.world.auditors.relay.told(id, end) }
                try then(end)
            }
        }
    }

    private static func end(_ result: Result<Rejection?, NetworkError>) -> RelayEnd {
        switch result {
        case .success(nil): .accepted
        case .success(let rejection?): .rejected(rejection.reason, timestamp: rejection.timestamp)
        case .failure(.timeout): .unanswered
        // No connection could be opened.
        case .failure(.refused): .unsent(nil)
        }
    }

    /// The time in the provider token, which is made again once it is 50 min old.
    private func providerToken() -> WallTime {
        let now = self.wall
        if let issued = self.tokenIssued, abs(now.seconds - issued.seconds) < 3000 { return issued }
        self.tokenIssued = now
        return now
    }

    private static func request(_ push: ValidPush, _ payload: [UInt8]) -> PushRequest {
        var request = PushRequest()
        request.add(":method", "POST")
        request.add(":path", "/3/device/" + push.token.hex)
        request.add(HeaderName.topic, push.topic)
        request.add(HeaderName.pushType, PushType.location.rawValue)
        request.add(HeaderName.priority, String(push.priority.rawValue))
        request.add(HeaderName.expiration, push.expiration.headerValue)
        request.body = .bytes(payload)
        return request
    }

    /// Remembers a push, for a liar.
    func keep(_ push: ValidPush) { self.kept = Deque(self.kept.suffix(Self.keptMax - 1)) + [push] }
}
