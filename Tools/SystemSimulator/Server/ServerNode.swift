internal import OrderedCollections
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The sharing server: its engine, with a model of its store and of the host that carries its decisions out.
final class ServerNode: Node {
    /// The reply to a request.
    enum Admission {
        /// The engine's decision.
        case decided(Server.OnRequest)
        /// A signature does not hold.
        case forged
        case busy
    }

    /// The reply to a reader of a request's states.
    enum Followed {
        /// There is no such request of this requester.
        case unknown
        /// No place is left for the stream.
        case busy
        /// The first words of the stream.
        case looked(StateFeed.OnLooked)
    }

    /// One open stream of a request's states.
    private final class Stream {
        var feed = StateFeed()
        let number: UInt64
        let tell: (StateFeed.OnLooked) -> Void

        init(_ number: UInt64, _ tell: @escaping (StateFeed.OnLooked) -> Void) {
            self.number = number
            self.tell = tell
        }
    }

    /// The time the client waits for the push service (APNSClient).
    private static let pushTimeout = Duration.seconds(10)
    static let team = "SIMULATION"

    private(set) var store = ModelRequestStore()
    /// The disk as it was after each write, where the scenario rolls it back.
    private var history = DiskHistory(ModelRequestStore())
    private(set) var engine = Server(policy: SharingPolicy(), now: WallTime(seconds: 0))
    var rateLimiter = RateLimiter(policy: SharingPolicy())
    private var streams: [RequestID: [Stream]] = [:]
    /// The streams that are open, of few places, so that they are scarce at times.
    private lazy var places = self.emptyPlaces
    /// Honest requesters alone do not fill them.
    private var emptyPlaces: ConnectionLimit<UInt64, Never> {
        ConnectionLimit(connectionsMax: max(40, 2 * self.world.scenario.requesters.count))
    }
    /// In memory, as the newest updates are.
    var updateStreams: [RequestID: [UpdateStream]] = [:]
    var board = UpdateBoard()
    private lazy var client = self.newClient()
    private let sealing: ModelSealing
    /// The lies it tells, and until when; a server that nobody took over tells none.
    var lies: [Scenario.ServerLie: Instant] = [:]
    /// When the engine's deadline is looked at next.
    private var alarm: Instant?

    init(_ world: Simulation) {
        self.sealing = ModelSealing(seed: world.scenario.seed ^ 0x7365_7276)
        super.init(.server, world)
    }

    /// The calendar as the store keeps it.
    var wall: WallTime { self.clocks.wall.wholeMilliseconds }

    override func boot() throws {
        self.world.auditors.requests.serverStarted(self.store, now: self.wall)
        try self.world.auditors.devices.serverStarted(self.store)
        self.engine = Server(policy: self.world.scenario.sharingPolicy, now: self.wall)
        self.setAlarm()
    }

    override func lost() {
        self.streams = [:]
        self.places = self.emptyPlaces
        self.updateStreams = [:]
        self.board = UpdateBoard()
        self.client = self.newClient()
        self.rateLimiter = RateLimiter(policy: SharingPolicy())
        self.alarm = nil
    }

    override func rollBack(by span: Duration) {
        self.kill(for: self.world.restartPause)
        self.store = self.history.contents(self.world.now, before: span)
        self.world.auditors.requests.serverRolledBack(self.store)
        self.world.auditors.wakes.serverRolledBack()
        self.world.auditors.devices.serverRolledBack(self.store)
        self.world.census.add("server is rolled back")
    }

    // MARK: HTTP

    func revoke(_ signed: Signed<Revocation>, from address: AddressBlock) throws -> Bool {
        guard let revocation = ModelNotary.verified(signed) else { return false }
        let now = self.wall
        let isKnown = try self.engine.knows(revocation.value.sharer, self.store.view)
        let place = self.rateLimiter.revocationReceived(isKnown: isKnown, from: address, now: self.monotonic)
        guard self.isAdmitted(place) else { return false }
        let isKept = try self.transaction { try self.engine.grantRevoked(revocation, $0, now: now) } == .confirm
        if isKept {
            self.world.auditors.requests.revoked(revocation.value.grant)
            self.world.auditors.disks.confirmed(revocation.value, by: self)
        }
        return isKept
    }

    func isAdmitted(_ action: RateLimiter.OnStatement) -> Bool {
        switch action {
        case .admit: return true
        case .tooSoon:
            self.world.census.add("a statement comes too soon")
            return false
        }
    }

    func admit(_ signed: Signed<Request>) throws -> Admission {
        guard let verified = ModelNotary.verified(signed) else { return .forged }
        let now = self.wall
        let reply = try self.decide { try self.engine.requestReceived(verified, $0, now: now) }
        if reply == .accept { self.world.auditors.requests.admitted(signed, now: now) }
        switch reply {
        case .accept, .acceptAgain: self.world.auditors.disks.accepted(signed, by: self)
        case .full:
            self.world.census.add("the server has no room")
            if self.lies(.admits) { try self.pushAnyway(signed) }
        case .conflict:
            self.world.census.add("a request has the ID of another one")
            if self.lies(.admits) { try self.pushAnyway(signed) }
        case .refuse, .tooSoon: if self.lies(.admits) { try self.pushAnyway(signed) }
        case nil: break
        }
        return reply.map { .decided($0) } ?? .busy
    }

    /// Takes the progress of a device; nil when the disk took nothing.
    func report(_ signed: Signed<DeviceReport>) throws -> Server.OnReport? {
        guard let report = ModelNotary.verified(signed) else { return .unknown }
        return try self.decide { try self.engine.deviceReported(report, $0, now: self.wall) }
    }

    /// Takes an answer; nil when the disk took nothing.
    func answer(_ signed: Signed<SealedAnswer>) throws -> Server.OnAnswer? {
        guard let answer = ModelNotary.verified(signed) else { return .unknown }
        let reply = try self.decide { try self.engine.answerReceived(answer, bytes: signed.bytes, $0, now: self.wall) }
        guard case .deliver(let kind, let pending)? = reply, self.lies(.replays) else { return reply }
        return .deliver(kind, pending: pending + self.store.requests.values.suffix(Self.replayedMax).map(\.request))
    }

    /// Opens a stream of a request's states, until it is finished or dropped with this life.
    ///
    /// - Parameters:
    ///   - permit: the reader's.
    ///   - number: names the stream.
    ///   - address: where the reader comes from.
    ///   - tell: takes all further words.
    /// - Returns: the first words.
    /// - Throws: what the store throws.
    func follow(
        _ permit: Signed<ReadPermit>,
        _ number: UInt64,
        from address: AddressBlock,
        _ tell: @escaping (StateFeed.OnLooked) -> Void
    ) throws -> Followed {
        guard let permit = ModelNotary.verified(permit), try self.engine.mayRead(permit, self.store.view),
            let watched = try self.engine.watched(permit.value.request, self.store.view, now: self.wall)
        else { return .unknown }
        switch self.places.arrived(number, from: address, trust: watched.trust) {
        case .admit: break
        case .replace(let stranger): self.world.auditors.hoards.displaced(stranger)
        case .refuseAddress, .refuse: return .busy
        }
        let stream = Stream(number, tell)
        let looked = stream.feed.looked(at: try self.store.view.request(permit.value.request))
        switch looked {
        case .tell: self.streams[permit.value.request, default: []].append(stream)
        case .finish: self.places.left(number)
        }
        return .looked(self.told(looked))
    }

    /// The reader of a stream is gone.
    func leave(_ number: UInt64) { self.places.left(number) }

    // MARK: The engine

    /// Runs changes as one write of the disk.
    ///
    /// - Returns: what the changes returned; nil when the disk took nothing.
    func transaction<Value>(_ body: (any RequestStoreTransaction) throws -> Value) throws -> Value? {
        let (value, changed) = try self.store.transaction(body)
        guard let changed else { return value }
        do {
            try self.write { self.store = changed }
            if self.world.rollsBack { self.history.append(self.store, at: self.world.now) }
            return value
        } catch is DiskFull {
            return nil
        }
    }

    /// One decision of the engine: within a transaction, and after its commit; nil when the disk took nothing.
    func decide<Reply>(
        _ input: (any RequestStoreTransaction) throws -> Server.Decision<Reply>
    ) throws -> Reply? {
        guard let decision = try self.transaction(input) else { return nil }
        try self.perform(self.engine.committed(decision.effects))
        return decision.reply
    }

    private func perform(_ outputs: [Server.Output]) throws {
        for output in outputs {
            switch output {
            case .sendPush(let id): self.later(.zero) { [unowned self] in try self.sendPush(for: id) }
            case .announce(let id, let state):
                self.world.trace.add(
                    self.world.now,
                    self.id,
                    "request becomes",
                    self.world.number(of: id),
                    UInt64(RequestState.Kind.allCases.firstIndex(of: state.kind) ?? 0)
                )
                try self.announce(id)
            case .countShared: break
            }
        }
        self.setAlarm()
    }

    private func announce(_ id: RequestID) throws {
        let record = try self.store.view.request(id)
        if let record {
            self.world.auditors.requests.serverChanged(record)
            try self.world.auditors.wakes.serverChanged(record, self.store.view, now: self.wall)
        }
        for stream in self.streams[id] ?? [] { stream.tell(self.told(stream.feed.looked(at: record))) }
        if record?.life.deadline == nil {
            for stream in self.streams[id] ?? [] { self.places.left(stream.number) }
            self.streams[id] = nil
        }
    }

    // MARK: Deadlines

    private func setAlarm() {
        let rest = self.engine.rest(now: self.wall)
        let due = self.world.now.advanced(by: rest)
        guard self.alarm.map({ due < $0 || $0 < self.world.now }) ?? true else { return }
        self.alarm = due
        self.later(rest) { [unowned self] in
            guard self.alarm == due else { return }
            self.alarm = nil
            try self.deadlineReached()
        }
    }

    private func deadlineReached() throws {
        let now = self.wall
        if self.lies(.waits) {
            return self.later(.seconds(1)) { [unowned self] in try self.deadlineReached() }
        }
        switch self.engine.deadlineReached(now: now) {
        case .look:
            let looked: Void? = try self.decide { try self.engine.look($0, now: now) }
            if looked == nil { self.engine.lookFailed(now: now) }
        case .ignore: break
        }
        self.setAlarm()
    }

    // MARK: Pushes

    private func sendPush(for id: RequestID) throws {
        switch try self.engine.pushDue(id, self.store.view) {
        case .send(let push):
            try self.world.auditors.wakes.pushes(for: push.request.value, self.store.view)
            try self.send(push)
        case .reject(let rejection): try self.pushEnded(id, nil, rejection)
        case .drop: try self.perform(self.engine.attemptEnded(id))
        }
    }

    /// The way to the push service, which a relay may stand for.
    private func newClient() -> ProviderClient {
        ProviderClient(of: self, to: self.world.scenario.relay == nil ? self.world.gateway : self.world.relay)
    }

    func send(_ push: RequestPush) throws {
        self.world.auditors.devices.pushed(push)
        let request = PushRequest(
            token: push.token,
            topic: PushType.location.topic(bundleIdentifier: push.topic),
            priority: push.priority,
            expiration: push.expiration,
            body: try PushPayload.json(of: push, self.sealing)
        )
        let id = push.request.value.id.description
        let sender = self.world.scenario.relay.map {
            Sender(Sender.Name(teamID: Self.team, keyID: "KEY"), pushesADay: $0.pushesADay)
        }
        let (gateway, relay) = (self.world.gateway, self.world.relay)
        let name = GatewayNode.Provider.server(life: self.life)
        try self.client.send(timeout: Self.pushTimeout) { issuedAt, connection, answer in
            let claims = ProviderClaims(
                teamID: Self.team,
                keyID: "KEY",
                issuedAt: issuedAt,
                scope: .all,
                sender: sender
            )
            let (service, now): (Node, WallTime) = sender == nil ? (gateway, gateway.wall) : (relay, relay.wall)
            if sender == nil, !gateway.admits(name, from: NodeID.server.address) {
                gateway.world.auditors.hoards.refusedServer()
            }
            let valid: ValidPush
            do throws(Rejection) {
                let scope = try connection.service.requestBegan(.verified(claims), now: now)
                valid = try request.validated(for: scope, id: id, now: now)
            } catch {
                service.trace("rejects a request", UInt64(error.reason.status))
                return answer(error)
            }
            if let sender { try relay.push(valid, from: sender, answer) } else { answer(try gateway.push(valid)) }
        } ended: { [unowned self] outcome in
            try self.heard(outcome, of: push)
        }
    }

    private func heard(_ outcome: PushPool.Outcome, of push: RequestPush) throws {
        // A push that is a lie is under way for nobody.
        let life = try self.store.view.request(push.request.value.id)?.life
        if let life, life.deadline != nil, !life.isWaiting, case .answered(.accepted) = outcome {
            self.world.auditors.wakes.pushed(for: push.request.value)
        }
        try self.pushEnded(push.request.value.id, push.token, Self.rejection(outcome))
    }

    private func pushEnded(_ id: RequestID, _ token: DeviceToken?, _ rejection: PushRejection?) throws {
        _ = try self.decide { try self.engine.pushEnded(id, token: token, rejection, $0, now: self.wall) }
        try self.perform(self.engine.attemptEnded(id))
    }

    private static func rejection(_ outcome: PushPool.Outcome) -> PushRejection? {
        switch outcome {
        case .answered(.accepted): nil
        case .answered(.rejected(let reason, _, let relay)): PushRejection(reason, relay: relay)
        case .answered(.unreadable), .lost, .timedOut, .unreachable, .refused, .cancelled, .full, .shutDown:
            PushRejection(nil)
        }
    }
}
