internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A follower whose server shows updates in any order, or not at all; the follower's decisions are those of the real ``Watching``.
struct FollowedWorld: ExploredWorld {
    /// The numbers of the updates that the sharer's device sealed, in their order.
    static let sealed = [(1, 0), (1, 1), (1, 2), (2, 0)].map { FollowedUpdate.Number(run: $0.0, count: $0.1) }

    var machine: Watching
    /// The updates that the follower was notified of, as indices into ``sealed``.
    var told: [Int] = []
    /// Whether the follower was notified of missing ones.
    var isMissed = false
    /// The number of updates of other people, or of other live shares, that the follower accepted for this one.
    var strange = 0

    init() {
        let now = Now(monotonic: EngineInstant(sinceStart: .zero), wall: Names.noon)
        self.machine = Watching.began(Self.request, now: now).machine
    }

    private static var request: Request {
        let grant = Grant(
            id: GrantID(high: 0, low: Names.friendsGrant),
            sharer: Names.sharer,
            requester: Names.friend,
            precision: .full,
            notBefore: Names.noon,
            notAfter: Names.noon.advanced(by: .seconds(86_400)),
            intervalMin: 0,
            followMinutesMax: 60
        )
        return Request(
            id: RequestID(high: 1, low: 0),
            grant: Signed(value: grant, signature: []),
            precision: .full,
            suite: .x25519,
            publicKey: Names.key(1),
            issued: Names.noon,
            expires: Names.noon.advanced(by: .seconds(120)),
            followMinutes: 30
        )
    }

    var isOver: Bool { self.machine.state == .ended }

    var moves: [Move<FollowedWorld>] {
        Self.sealed.indices.flatMap { index in
            [
                self.shown(index, by: Names.sharer, of: Self.request.id),
                self.shown(index, by: Names.adversary, of: Self.request.id),
                self.shown(index, by: Names.sharer, of: RequestID(high: 7, low: 0)),
            ]
        } + [self.ended(by: Names.sharer), self.ended(by: Names.adversary)]
    }

    private func shown(_ index: Int, by signer: PublicIdentity, of request: RequestID) -> Move<FollowedWorld> {
        let sealed = SealedUpdate(request: request, sharer: signer, sealed: [])
        let update = FollowedUpdate(
            number: Self.sealed[index],
            time: Names.noon.advanced(by: .seconds(index)),
            silenceMax: 90,
            place: .unknown("")
        )
        let isStrange = signer != Names.sharer || request != Self.request.id
        let words = "the server shows update \(index) of \(Names.of(signer))\(isStrange ? ", a strange one" : "")"
        return self.fed(.opened(Verified(Signed(value: sealed, signature: [])), update), index, isStrange, words)
    }

    private func ended(by author: PublicIdentity) -> Move<FollowedWorld> {
        let end = FollowingEnd(request: Self.request.id, author: author, time: Names.noon, reason: .bySharer)
        let words = "the server shows an end that \(Names.of(author)) signed"
        return self.fed(.ended(Verified(Signed(value: end, signature: []))), nil, author != Names.sharer, words)
    }

    private func fed(_ input: Watching.Input, _ index: Int?, _ isStrange: Bool, _ words: String) -> Move<FollowedWorld>
    {
        var world = self
        var generator = SeededGenerator(seed: 1)
        let now = EngineInstant(sinceStart: .seconds(1))
        for effect in world.machine.handle(input, now: now, using: &generator) {
            if isStrange, case .end = effect { world.strange += 1 }
            guard case .tell(.place(_, at: _, let missed)) = effect, let index else { continue }
            world.told.append(index)
            world.isMissed = world.isMissed || missed > 0
            world.strange += isStrange ? 1 : 0
        }
        return Move(words: words, world: world)
    }
}
