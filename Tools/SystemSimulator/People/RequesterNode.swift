internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A person's program that sends requests: the state machines of `Requester`, over the modelled network.
final class RequesterNode: Node {
    /// The time a requester waits in all: the default of `whereabouts ask`.
    static let deadline = Duration.seconds(60)
    /// The longest time that a stream broken silently goes unnoticed.
    private static let silenceMax = Duration.seconds(5)

    let identity: PublicIdentity
    private let sealing: ModelSealing
    private var random: SeededGenerator
    /// The live shares that have not ended.
    private var watchers: [Watcher] = []

    /// One request, the connections it has open, and the callback for its end.
    private final class Conversation {
        let signed: Signed<Request>
        let key: RequestKey
        let then: (RequestState.Kind, Answer?) -> Void
        var asking: Asking
        var alarm: Alarm?

        init(
            _ signed: Signed<Request>,
            _ key: RequestKey,
            _ asking: Asking,
            _ then: @escaping (RequestState.Kind, Answer?) -> Void
        ) {
            self.signed = signed
            self.key = key
            self.asking = asking
            self.then = then
        }
    }

    init(_ index: Int, _ world: Simulation) {
        self.identity = Names.requester(index)
        self.sealing = ModelSealing(seed: world.scenario.seed ^ 0x7265_7100 ^ UInt64(index))
        self.random = SeededGenerator(seed: world.scenario.seed ^ 0x7265_7172 ^ UInt64(index) << 32)
        super.init(.requester(index), world)
        self.clockError = .seconds(world.scenario.requesters[index].clockError)
    }

    /// Asks once.
    ///
    /// - Parameters:
    ///   - grant: the grant of the request.
    ///   - precision: how exact the answer should be.
    ///   - suite: the cipher suite of the answer.
    ///   - followMinutes: the length of the live share in minutes; nil for one answer.
    ///   - repetition: the schedule; nil for one answer.
    ///   - then: receives the final state, and the answer if there is one.
    func ask(
        _ grant: Signed<Grant>,
        _ precision: Precision,
        _ suite: Suite,
        followMinutes: UInt16? = nil,
        repeating repetition: Repetition? = nil,
        then: @escaping (RequestState.Kind, Answer?) -> Void = { _, _ in }
    ) {
        let key = self.sealing.makeKey(suite: suite)
        let request = Request(
            under: grant,
            precision: precision,
            suite: suite,
            publicKey: key.publicKey,
            followMinutes: followMinutes,
            repetition: repetition,
            using: &self.random,
            now: self.clocks.wall
        )
        self.world.trace.add(self.world.now, self.id, "asks", self.world.number(of: request.id))
        self.world.auditors.requests.asked(request.id, by: self)
        let (asking, effects) = Asking.began(
            request,
            server: "the server",
            patience: Self.deadline,
            now: self.clocks.monotonic
        )
        let conversation = Conversation(ModelNotary.sign(request), key, asking, then)
        conversation.alarm = Alarm(self) { [unowned self] in self.feed(.deadlineReached, to: conversation) }
        self.perform(effects, conversation)
    }

    // MARK: The machine

    private func feed(_ input: Asking.Input, to conversation: Conversation) {
        let effects = conversation.asking.handle(input, now: self.clocks, using: &self.random)
        self.perform(effects, conversation)
    }

    private func perform(_ effects: [Asking.Effect], _ conversation: Conversation) {
        for effect in effects {
            switch effect {
            case .post(let timeout): self.post(conversation, timeout: timeout)
            case .follow: self.follow(conversation)
            case .open(let answer): self.feed(self.open(answer, conversation), to: conversation)
            // Explanations are only for people.
            case .explain: break
            case .tell(let update):
                self.world.auditors.requests.told(update.state.kind, of: conversation.signed.value.id)
            case .end(let update): self.ended(update, conversation)
            }
        }
        conversation.alarm?.follow(conversation.asking.deadline)
    }

    private func ended(_ update: RequestUpdate, _ conversation: Conversation) {
        conversation.alarm = nil
        let kind = update.state.kind
        self.world.auditors.requests.ended(conversation.signed, kind, by: self)
        self.world.trace.add(
            self.world.now,
            self.id,
            "gets the end",
            self.world.number(of: conversation.signed.value.id),
            UInt64(RequestState.Kind.allCases.firstIndex(of: kind) ?? 0)
        )
        conversation.then(kind, update.answer)
        guard kind == .answered else { return }
        if conversation.signed.value.followMinutes != nil { self.watch(conversation.signed, conversation.key) }
        if conversation.signed.value.repetition != nil { self.fetch(conversation.signed, conversation.key, after: 0) }
    }

    // MARK: Schedules

    /// The time between two fetches of the answers to a schedule.
    private static let fetchInterval = Duration.seconds(600)

    /// Fetches the answers to a schedule now and then, until some time after its end.
    private func fetch(_ schedule: Signed<Request>, _ key: RequestKey, after occurrence: UInt16) {
        self.later(Self.fetchInterval) { [unowned self] in
            guard let end = schedule.value.scheduleEnd, self.clocks.wall < end.advanced(by: Self.fetchInterval * 2)
            else {
                return
            }
            let permit = ModelNotary.sign(ReadPermit(request: schedule.value.id, requester: self.identity))
            let server = self.world.server
            self.world.call(from: self.id, to: server, timeout: Attempts.patience) {
                try server.occurrences(permit, after: occurrence)
            } then: { [unowned self] result in
                let occurrences = (try? result.get()) ?? []
                for record in occurrences { self.open(record, key) }
                let last = occurrences.last { $0.life.deadline == nil }?.request.value.occurrence
                self.fetch(schedule, key, after: last ?? occurrence)
            }
        }
    }

    private func open(_ record: RequestRecord, _ key: RequestKey) {
        guard let bytes = record.answer else { return }
        do {
            guard let sealed = ModelNotary.verified(try Signed<SealedAnswer>(bytes: bytes)) else {
                throw SharingError(.badSignature, "the answer's signature is invalid")
            }
            let plain = try self.sealing.open(sealed.value.sealed, with: key, info: record.request.info)
            self.world.auditors.schedules.opened(try Answer(paddedBytes: plain), to: record.request.value)
        } catch {
            self.world.fail("the answer to an occurrence cannot be opened: \(error)")
        }
    }

    // MARK: Followings

    private func watch(_ signed: Signed<Request>, _ key: RequestKey) {
        self.watchers.append(
            Watcher(signed, key, of: self) { [sealing = self.sealing] update in
                try FollowedUpdate(paddedBytes: sealing.open(update.sealed, with: key, info: signed.followingInfo))
            }
        )
    }

    func handle(_ input: Watching.Input, _ watching: inout Watching) -> [Watching.Effect] {
        watching.handle(input, now: self.clocks.monotonic, using: &self.random)
    }

    func ended(_ watcher: Watcher) { self.watchers.removeAll { $0 === watcher } }

    /// The person stops following everyone.
    func stopFollowing() { for watcher in self.watchers { watcher.stop() } }

    // MARK: The network

    private func post(_ conversation: Conversation, timeout: Duration) {
        let server = self.world.server
        self.world.call(from: self.id, to: server, timeout: timeout) {
            try server.admit(conversation.signed)
        } then: { [unowned self] result in
            self.feed(self.reply(result, to: conversation), to: conversation)
        }
    }

    private func reply(
        _ result: Result<Server.OnRequest?, NetworkError>,
        to conversation: Conversation
    ) -> Asking.Input {
        switch result {
        case .failure: return .attemptFailed("no reply")
        case .success(nil), .success(.full?): return .replied(.busy("the disk is full"))
        case .success(.refuse?): return .replied(.refused("refused", serverTime: nil))
        case .success(.conflict?): return .replied(.rejected("another request has this ID"))
        case .success(.tooSoon(let until)?): return .replied(.tooSoon("too soon", until: until))
        case .success(.accept?), .success(.acceptAgain?):
            self.world.auditors.requests.acknowledged(conversation.signed)
            return .replied(.accepted)
        }
    }

    /// Opens a stream of the request's states.
    private func follow(_ conversation: Conversation) {
        let permit = ModelNotary.sign(ReadPermit(request: conversation.signed.value.id, requester: self.identity))
        let server = self.world.server
        let way = Network.Way(from: .server, to: self.id)
        let (number, address) = (self.world.nextTicket(), self.id.address)
        var lost = false
        func lose() {
            guard !lost else { return }
            lost = true
            server.perform { try server.leave(number) }
            self.world.auditors.hoards.left(number)
            self.feed(.streamLost, to: conversation)
        }
        func take(_ message: EventStreams.Message, _ isLast: Bool) {
            guard !lost else { return }
            if case .states(let states) = message { self.told(states, conversation) }
            if isLast { lose() }
        }
        func tell(_ message: EventStreams.Message, _ isLast: Bool) {
            guard let delay = self.world.network.passage(on: way, now: self.world.now) else {
                // The reader detects the loss when nothing comes for a while.
                return self.world.later(Self.silenceMax) { lose() }
            }
            self.world.later(delay) { take(message, isLast) }
        }
        self.watch(server, server.life, conversation, lose)
        self.world.call(from: self.id, to: server, timeout: Attempts.patience) {
            try server.open(.states, permit, number, from: address, tell)
        } then: { [unowned self] result in
            switch result {
            case .failure: lose()
            case .success(.busy):
                self.world.auditors.hoards.refused(self.id)
                lose()
            case .success(.unknown):
                self.world.auditors.requests.unknown(conversation.signed)
                self.feed(.streamRefused("unknown"), to: conversation)
            case .success(.open(let first, let isLast)):
                self.world.auditors.hoards.admitted(number, self.id)
                if let first { take(first, isLast) }
            }
        }
    }

    /// When a server dies, its event streams end, and the reader is notified soon.
    private func watch(_ server: ServerNode, _ life: UInt64, _ conversation: Conversation, _ lose: @escaping () -> Void)
    {
        guard conversation.asking.deadline != nil else { return }
        self.later(.seconds(1)) { [unowned self] in
            if server.life != life || !server.isUp { return lose() }
            self.watch(server, life, conversation, lose)
        }
    }

    private func told(_ states: [EventStreams.State], _ conversation: Conversation) {
        for told in states { self.feed(.told(told.state, answer: told.answer), to: conversation) }
    }

    private func open(_ bytes: [UInt8], _ conversation: Conversation) -> Asking.Input {
        let signed = conversation.signed
        do {
            let answer = try Signed<SealedAnswer>(bytes: bytes)
            guard let sealed = ModelNotary.verified(answer) else {
                throw SharingError(.badSignature, "the answer's signature is invalid")
            }
            let plain = try self.sealing.open(sealed.value.sealed, with: conversation.key, info: signed.info)
            let opened = try Answer(paddedBytes: plain)
            self.world.auditors.requests.opened(opened, in: signed)
            return .opened(sealed, opened)
        } catch {
            self.world.fail(
                "the answer to request \(self.world.number(of: signed.value.id)) cannot be opened: \(error)"
            )
            return .unreadable(error as? SharingError ?? SharingError(.cannotOpen, "\(error)"))
        }
    }
}
