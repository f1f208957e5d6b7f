internal import LocationSources
internal import Sharing
internal import SharingEngine

/// Somebody who asks: makes requests, follows them, opens answers, and hears one final state of each in time.
final class RequesterNode: Node {
    /// How long one waits in all, and for one exchange (`Requester`, `ServerConnection`).
    static let deadline = Duration.seconds(60)
    private static let timeout = Duration.seconds(10)
    private static let retryPause = Duration.milliseconds(200)

    let identity: PublicIdentity
    private let sealing: ModelSealing
    private var random: SplitMix64

    /// One request from its making to its final state.
    private final class Conversation {
        let signed: Signed<Request>
        let key: RequestKey
        var told: Set<RequestState.Kind> = []
        var isOver = false

        init(_ signed: Signed<Request>, _ key: RequestKey) {
            self.signed = signed
            self.key = key
        }
    }

    init(_ index: Int, _ world: Simulation) {
        self.identity = Names.requester(index)
        self.sealing = ModelSealing(seed: world.scenario.seed ^ 0x7265_7100 ^ UInt64(index))
        self.random = SplitMix64(seed: world.scenario.seed ^ 0x7265_7172 ^ UInt64(index) << 32)
        super.init(.requester(index), world)
        self.clockError = .seconds(world.scenario.requesters[index].clockError)
    }

    private var wall: SharingEngine.WallTime { .init(milliseconds: self.wallMicroseconds / 1000) }

    /// Asks once.
    ///
    /// - Parameters:
    ///   - grant: what allows it.
    ///   - precision: how exact the answer is to be.
    ///   - suite: how it is sealed.
    ///   - then: hears the final state, and the answer if there is one.
    func ask(
        _ grant: Signed<Grant>,
        _ precision: Precision,
        _ suite: Suite,
        then: @escaping (RequestState.Kind, Answer?) -> Void = { _, _ in }
    ) {
        let key = self.sealing.makeKey(suite: suite)
        let now = self.wall
        let request = Request(
            id: RequestID(using: &self.random),
            grant: grant,
            precision: precision,
            suite: suite,
            publicKey: key.publicKey,
            issued: now,
            expires: now.advanced(by: Requester.requestLifetime)
        )
        let conversation = Conversation(ModelNotary.sign(request), key)
        let number = self.world.number(of: request.id)
        self.world.trace.add(self.world.now, self.id, "asks", number)
        self.world.auditors.requests.asked(request.id, by: self)
        self.later(Self.deadline) { [unowned self] in self.end(conversation, .expired, nil, then) }
        let server = self.world.server
        self.world.call(from: self.id, to: server, timeout: Self.timeout) {
            try server.admit(conversation.signed)
        } then: { [unowned self] result in
            switch result {
            case .failure, .success(nil): self.end(conversation, .failed, nil, then)
            case .success(.refused?): self.end(conversation, .refused, nil, then)
            case .success(.tooSoon?): self.end(conversation, .tooSoon, nil, then)
            case .success(.accepted?):
                self.world.auditors.requests.acknowledged(conversation.signed)
                self.follow(conversation, then)
            }
        }
    }

    /// Reads the request's states, and again when the connection was lost, until the final one or the deadline.
    private func follow(_ conversation: Conversation, _ then: @escaping (RequestState.Kind, Answer?) -> Void) {
        guard !conversation.isOver else { return }
        let permit = ModelNotary.sign(ReadPermit(request: conversation.signed.value.id, requester: self.identity))
        let server = self.world.server
        let way = Network.Way(from: .server, to: self.id)
        var lost = false
        func lose() {
            guard !lost, !conversation.isOver else { return }
            lost = true
            self.later(Self.retryPause) { [unowned self] in self.follow(conversation, then) }
        }
        func read(_ record: RequestRecord) {
            guard !lost else { return }
            guard let delay = self.world.network.passage(on: way, now: self.world.now) else {
                // Found out when nothing comes for a while.
                return self.world.later(.seconds(5)) { lose() }
            }
            self.world.later(delay) { [unowned self] in if !lost { self.read(record, conversation, then) } }
        }
        let life = server.life
        self.watch(server, life, conversation, lose)
        self.world.call(from: self.id, to: server, timeout: Self.timeout) {
            try server.follow(permit, read)
        } then: { [unowned self] result in
            switch result {
            case .failure: lose()
            case .success(nil):
                self.world.auditors.requests.unknown(conversation.signed)
                self.end(conversation, .failed, nil, then)
            case .success(let record?): self.read(record, conversation, then)
            }
        }
    }

    /// A server that dies takes its event streams with it, as the system tells the reader soon.
    private func watch(_ server: ServerNode, _ life: UInt64, _ conversation: Conversation, _ lose: @escaping () -> Void)
    {
        guard !conversation.isOver else { return }
        self.later(.seconds(1)) { [unowned self] in
            if server.life != life || !server.isUp { return lose() }
            self.watch(server, life, conversation, lose)
        }
    }

    private func read(
        _ record: RequestRecord,
        _ conversation: Conversation,
        _ then: @escaping (RequestState.Kind, Answer?) -> Void
    ) {
        for state in record.life.history where !conversation.isOver && conversation.told.insert(state.kind).inserted {
            self.world.auditors.requests.told(state.kind, of: conversation.signed.value.id)
            guard state.kind.isFinal else { continue }
            guard state.kind == .answered else { return self.end(conversation, state.kind, nil, then) }
            self.open(record.answer, conversation, then)
        }
    }

    private func open(
        _ bytes: [UInt8]?,
        _ conversation: Conversation,
        _ then: @escaping (RequestState.Kind, Answer?) -> Void
    ) {
        let signed = conversation.signed
        guard let bytes, let answer = try? Signed<SealedAnswer>(bytes: bytes),
            let sealed = ModelNotary.verified(answer)?.value, sealed.request == signed.value.id,
            sealed.sharer == signed.value.grant.value.sharer,
            let plain = try? self.sealing.open(sealed.sealed, with: conversation.key, info: signed.info),
            let opened = try? Answer(paddedBytes: plain)
        else {
            self.world.fail("the answer to request \(self.world.number(of: signed.value.id)) does not open")
            return
        }
        self.world.auditors.requests.opened(opened, in: signed)
        let kind: RequestState.Kind =
            switch opened.content {
            case .fix: .answered
            case .refusal: .refused
            case .unavailable: .failed
            }
        self.end(conversation, kind, opened, then)
    }

    private func end(
        _ conversation: Conversation,
        _ kind: RequestState.Kind,
        _ answer: Answer?,
        _ then: (RequestState.Kind, Answer?) -> Void
    ) {
        guard !conversation.isOver else { return }
        conversation.isOver = true
        self.world.auditors.requests.ended(conversation.signed, kind, by: self)
        self.world.trace.add(
            self.world.now,
            self.id,
            "hears the end",
            self.world.number(of: conversation.signed.value.id),
            UInt64(RequestState.Kind.allCases.firstIndex(of: kind) ?? 0)
        )
        then(kind, answer)
    }
}
