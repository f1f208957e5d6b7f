internal import DequeModule
internal import OrderedCollections
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The sharing server: its core, with a model of its store, of its connections and of the streams that its clients read.
final class ServerNode: Node {
    typealias Tell = (_ message: EventStreams.Message, _ isLast: Bool) -> Void

    /// The reader of an event stream.
    private struct Reader {
        /// Names the stream for its reader; a call that arrives twice opens two connections.
        let number: UInt64
        var tell: Tell
        /// The last update, which a lying server repeats.
        var before: [UInt8]?
    }

    /// The reply to a reader.
    enum Opened {
        /// There is no such request of this requester.
        case unknown
        /// Too many streams are open.
        case busy
        /// The stream is open; this is its first message, unless that has no news.
        case open(EventStreams.Message?, isLast: Bool)
    }

    /// The time the client waits for the push service (APNSClient).
    private static let pushTimeout = Duration.seconds(10)
    static let team = "SIMULATION"

    private(set) var store = ModelRequestStore()
    /// The disk's contents after each write, if the scenario rolls it back.
    private var history = DiskHistory(ModelRequestStore())
    private(set) lazy var core = self.newCore()
    /// The inputs that wait until the effects of the previous input are performed.
    private var inputs: Deque<SharingCore.Input> = []
    private var isHandling = false
    private var replies: [SharingCore.Ticket: SharingCore.Reply] = [:]
    private var readers: OrderedDictionary<SharingCore.Ticket, Reader> = [:]
    private lazy var client = self.newClient()
    private let sealing: ModelSealing
    /// The lies that the server tells, and until when; empty for an honest server.
    var lies: [Scenario.ServerLie: Instant] = [:]
    private lazy var alarm = self.newAlarm()

    init(_ world: Simulation) {
        self.sealing = ModelSealing(seed: world.scenario.seed ^ 0x7365_7276)
        super.init(.server, world)
    }

    /// The wall clock, in the milliseconds of the store.
    var wall: WallTime { self.clocks.wall.wholeMilliseconds }
    private var now: Now { Now(monotonic: self.monotonic, wall: self.wall) }

    override func boot() throws {
        self.world.auditors.requests.serverStarted(self.store, now: self.wall)
        try self.world.auditors.devices.serverStarted(self.store)
        self.core = self.newCore()
        self.alarm.follow(self.core.nextDeadline.at)
    }

    /// The core, with a low limit of streams, so that they are scarce at times; honest requesters alone do not reach it.
    private func newCore() -> SharingCore {
        SharingCore(
            policy: self.world.scenario.sharingPolicy,
            streamsMax: max(40, 2 * self.world.scenario.requesters.count),
            now: self.now
        )
    }

    private func newAlarm() -> Alarm {
        Alarm(self) { [unowned self] in try self.deadlineReached() }
    }

    override func lost() {
        self.inputs = []
        self.isHandling = false
        self.replies = [:]
        self.readers = [:]
        self.client = self.newClient()
        self.alarm = self.newAlarm()
    }

    override func rollBack(by span: Duration) {
        self.kill(for: self.world.restartPause)
        self.store = self.history.contents(self.world.now, before: span)
        self.world.auditors.requests.serverRolledBack(self.store)
        self.world.auditors.wakes.serverRolledBack()
        self.world.auditors.devices.serverRolledBack(self.store)
        self.world.census.add("server is rolled back")
    }

    // MARK: Clients

    /// Returns the reply to a statement.
    func reply(
        to statement: SharingCore.Statement,
        from address: AddressBlock = NodeID.server.address
    ) throws -> SharingCore.Reply? {
        try self.reply(self.world.nextTicket()) { .stated(statement, from: address, $0) }
    }

    /// Returns the answer to a question.
    func reply(to question: SharingCore.Question) throws -> SharingCore.Reply? {
        try self.reply(self.world.nextTicket()) { .asked(question, from: NodeID.server.address, $0) }
    }

    private func reply(
        _ ticket: SharingCore.Ticket,
        _ input: (SharingCore.Ticket) -> SharingCore.Input
    ) throws -> SharingCore.Reply? {
        try self.handle(input(ticket))
        return self.replies.removeValue(forKey: ticket)
    }

    /// Opens an event stream.
    ///
    /// - Parameters:
    ///   - kind: the kind of stream.
    ///   - permit: the reader's permit.
    ///   - number: names the stream.
    ///   - address: the reader's address.
    ///   - tell: receives all messages with news after the first one.
    /// - Returns: the first message.
    /// - Throws: ``Node/Killed``
    func open(
        _ kind: EventStreams.Kind,
        _ permit: Signed<ReadPermit>,
        _ number: UInt64,
        from address: AddressBlock,
        _ tell: @escaping Tell
    ) throws -> Opened {
        guard let permit = ModelNotary.verified(permit) else { return .unknown }
        let ticket = self.world.nextTicket()
        var first: (message: EventStreams.Message?, isLast: Bool) = (nil, false)
        self.readers[ticket] = Reader(number: number) { first = ($0, $1) }
        switch try self.reply(ticket, { .asked(.stream(kind, permit), from: address, $0) }) {
        case .opened?:
            self.readers[ticket]?.tell = tell
            return .open(first.message, isLast: first.isLast)
        case .noStream?:
            self.readers[ticket] = nil
            return .busy
        default:
            self.readers[ticket] = nil
            return .unknown
        }
    }

    /// The reader of a stream is gone.
    func leave(_ number: UInt64) throws {
        for ticket in self.readers.keys where self.readers[ticket]?.number == number {
            self.readers[ticket] = nil
            try self.handle(.streamClosed(ticket))
        }
    }

    // MARK: The core

    private func handle(_ input: SharingCore.Input) throws {
        self.inputs.append(input)
        guard !self.isHandling else { return }
        self.isHandling = true
        defer { self.isHandling = false }
        while let input = self.inputs.popFirst() {
            for effect in self.core.handle(input, now: self.now) { try self.perform(effect) }
        }
        self.alarm.follow(self.core.nextDeadline.at)
    }

    private func perform(_ effect: SharingCore.Effect) throws {
        switch effect {
        // Inputs that already wait are handled before this access.
        case .access(.read(.push(let id))):
            self.later(.zero) { [unowned self] in try self.access(.read(.push(id))) }
        case .access(let access): try self.access(access)
        case .reply(let ticket, let reply): self.replies[ticket] = reply
        case .send(let push):
            try self.world.auditors.wakes.pushes(for: push.request.value, self.store.view)
            try self.send(push)
        case .tell(let ticket, let message, let isLast): try self.tell(message, isLast, ticket)
        case .close(let ticket): self.close(ticket)
        case .note(.became(let id, let state)): try self.became(id, state)
        // The simulated server names no dispatchers, and is the only one.
        case .note, .sendAlert, .loadResponders, .keepResponders, .hint: break
        }
    }

    private func access(_ access: SharingCore.Access) throws {
        switch access {
        case .read(let query):
            try self.handle(.found(self.store.read { try self.core.server.read(query, $0, now: self.wall) }))
        case .write(let change):
            let decided = try self.transaction { try self.core.server.write(change, $0, now: self.wall) }
            try self.handle(decided.map { .found($0.reply, $0.effects) } ?? .storeFailed(access))
        }
    }

    /// Runs changes as one write of the disk.
    ///
    /// - Returns: what the changes returned; nil if the write failed.
    private func transaction<Value>(_ body: (any RequestStoreTransaction) throws -> Value) throws -> Value? {
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

    private func became(_ id: RequestID, _ state: RequestState) throws {
        self.world.trace.add(
            self.world.now,
            self.id,
            "request becomes",
            self.world.number(of: id),
            UInt64(RequestState.Kind.allCases.firstIndex(of: state.kind) ?? 0)
        )
        guard let record = try self.store.view.request(id) else { return }
        self.world.auditors.requests.serverChanged(record)
        try self.world.auditors.wakes.serverChanged(record, self.store.view, now: self.wall)
    }

    private func tell(_ message: EventStreams.Message, _ isLast: Bool, _ ticket: SharingCore.Ticket) throws {
        for said in self.said(message, isLast, before: self.readers[ticket]?.before) {
            self.readers[ticket]?.tell(said, isLast)
        }
        if case .update(let update?) = message { self.readers[ticket]?.before = update }
        if isLast { self.readers[ticket] = nil } else { try self.handle(.told(ticket)) }
    }

    /// Closes a stream that has to make room for another one.
    private func close(_ ticket: SharingCore.Ticket) {
        guard let reader = self.readers.removeValue(forKey: ticket) else { return }
        self.world.auditors.hoards.displaced(reader.number)
        reader.tell(.update(nil), true)
    }

    private func deadlineReached() throws {
        if self.lies(.waits) {
            return self.later(.seconds(1)) { [unowned self] in try self.deadlineReached() }
        }
        try self.handle(.deadlineReached)
    }

    // MARK: Pushes

    /// The client of the push service, or of the relay in its place.
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
        // A lying server's push belongs to no unfinished request.
        let life = try self.store.view.request(push.request.value.id)?.life
        if let life, life.deadline != nil, !life.isWaiting, case .answered(.accepted) = outcome {
            self.world.auditors.wakes.pushed(for: push.request.value)
        }
        try self.handle(.pushEnded(push, Self.rejection(outcome)))
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
