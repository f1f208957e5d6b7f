internal import Sharing
internal import SharingEngine
internal import SharingServer
internal import SystemSimulator

/// The simulator's store behind the protocol of the server's, so that one suite checks both.
actor ModelStore: Store {
    private var contents = ModelRequestStore()
    private let policy: Policy

    init(policy: Policy) {
        self.policy = policy
    }

    func register(_ registration: Registration) { self.contents.register(registration) }

    func revoke(_ revocation: Revocation) -> Bool {
        self.contents.revoke(revocation, max: self.policy.revocationsPerSharerMax)
    }

    func admit(
        _ request: Signed<Request>,
        now: WallTime,
        decide: @escaping @Sendable (Standing) -> RequestLife.OnVerified
    ) -> StoreAdmission {
        self.contents.admit(request, now: now, decide: decide)
    }

    func apply(
        to id: RequestID,
        answer: [UInt8]?,
        token: [UInt8]?,
        _ input: @escaping @Sendable (inout RequestLife) -> [RequestLife.Effect]
    ) -> (record: RequestRecord, effects: [RequestLife.Effect])? {
        self.contents.apply(to: id, answer: answer, token: token, input)
    }

    func request(_ id: RequestID) -> RequestRecord? { self.contents.request(id) }

    func device(of sharer: PublicIdentity) -> (token: [UInt8], topic: String)? {
        self.contents.device(of: sharer).map { ($0.token, $0.topic) }
    }

    func pending(for sharer: PublicIdentity) -> [RequestRecord] { self.contents.pending(for: sharer) }

    func due(now: WallTime, max: Int) -> [RequestID] { self.contents.due(now: now, max: max) }

    func nextDeadline() -> WallTime? { self.contents.nextDeadline() }

    func prune(now: WallTime) { self.contents.prune(now: now) }
}
