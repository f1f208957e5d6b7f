internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The follower's side of a live share: the state machine of `Requester`, over the modelled network.
final class Watcher {
    /// The longest time that a stream broken silently goes unnoticed.
    private static let silenceMax = Duration.seconds(30)

    private unowned let person: RequesterNode
    private let signed: Signed<Request>
    private let key: RequestKey
    private let open: (SealedUpdate) throws -> FollowedUpdate
    private var watching: Watching
    private lazy var alarm = Alarm(self.person) { [weak self] in self?.feed(.deadlineReached) }
    /// The stream that was opened last.
    private var stream: UInt64?
    private var world: Simulation { self.person.world }

    init(
        _ signed: Signed<Request>,
        _ key: RequestKey,
        of person: RequesterNode,
        open: @escaping (SealedUpdate) throws -> FollowedUpdate
    ) {
        self.person = person
        self.signed = signed
        self.key = key
        self.open = open
        let (watching, effects) = Watching.began(signed.value, now: person.clocks)
        self.watching = watching
        self.perform(effects)
    }

    /// The person stops following.
    func stop() { self.feed(.stopped) }

    private func feed(_ input: Watching.Input) {
        let effects = self.person.handle(input, &self.watching)
        self.world.auditors.followings.heard(input, effects, in: self.signed)
        self.perform(effects)
    }

    private func perform(_ effects: [Watching.Effect]) {
        for effect in effects {
            switch effect {
            case .watch: self.watch()
            case .tell: break
            case .post(let reason): self.post(reason)
            case .end:
                if let stream { self.world.server.perform { try self.world.server.leave(stream) } }
                self.person.ended(self)
            }
        }
        self.alarm.follow(self.watching.deadline)
    }

    private func post(_ reason: FollowingEnd.Reason) {
        let end = FollowingEnd(
            request: self.signed.value.id,
            author: self.person.identity,
            time: self.person.clocks.wall,
            reason: reason
        )
        let (statement, server) = (ModelNotary.sign(end), self.world.server)
        // Sent once: if the server does not receive it, the live share ends at its planned time.
        self.world.call(from: self.person.id, to: server, timeout: Attempts.patience) {
            try server.end(statement)
        } then: { _ in
        }
    }

    /// Opens a stream of the updates.
    private func watch() {
        let permit = ModelNotary.sign(ReadPermit(request: self.signed.value.id, requester: self.person.identity))
        let (server, life) = (self.world.server, self.world.server.life)
        let way = Network.Way(from: .server, to: self.person.id)
        let (number, address) = (self.world.nextTicket(), self.person.id.address)
        self.stream = number
        var isLost = false
        func lose() {
            guard !isLost else { return }
            isLost = true
            server.perform { try server.leave(number) }
            self.person.perform { self.feed(.streamLost) }
        }
        func take(_ message: EventStreams.Message, _ isLast: Bool) {
            guard !isLost else { return }
            self.person.perform { self.take(message, isLast, lose) }
        }
        func tell(_ message: EventStreams.Message, _ isLast: Bool) {
            guard let delay = self.world.network.passage(on: way, now: self.world.now) else {
                return self.world.later(Self.silenceMax) { lose() }
            }
            self.world.later(delay) { take(message, isLast) }
        }
        func watchOver() {
            guard self.watching.deadline != nil, !isLost else { return }
            self.person.later(.seconds(1)) {
                if server.life != life || !server.isUp { return lose() }
                watchOver()
            }
        }
        watchOver()
        self.world.call(from: self.person.id, to: server, timeout: Attempts.patience) {
            try server.open(.updates, permit, number, from: address, tell)
        } then: { result in
            switch result {
            case .failure, .success(.busy): lose()
            case .success(.unknown): self.person.perform { self.feed(.streamRefused("unknown")) }
            case .success(.open(let first, let isLast)): if let first { take(first, isLast) }
            }
        }
    }

    private func take(_ message: EventStreams.Message, _ isLast: Bool, _ lose: () -> Void) {
        switch message {
        case .update(let bytes?): self.feed(self.opened(bytes))
        case .ended(let reason, let statement):
            let end = statement.flatMap { try? Signed<FollowingEnd>(bytes: $0) }.flatMap(ModelNotary.verified)
            self.feed(end.map { .ended($0) } ?? .closed(reason))
        case .update(nil), .states, .incidents: if isLast { lose() }
        }
    }

    private func opened(_ bytes: [UInt8]) -> Watching.Input {
        do {
            guard let sealed = ModelNotary.verified(try Signed<SealedUpdate>(bytes: bytes)) else {
                throw SharingError(.badSignature, "the update's signature is invalid")
            }
            return .opened(sealed, try self.open(sealed.value))
        } catch {
            let number = self.world.number(of: self.signed.value.id)
            self.world.fail("an update of request \(number) cannot be opened: \(error)")
            return .unreadable(error as? SharingError ?? SharingError(.cannotOpen, "\(error)"))
        }
    }
}
