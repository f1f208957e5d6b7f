internal import Sharing
internal import SharingEngine
internal import SharingServer
internal import Testing

/// A store, a sharer and a requester, at one moment.
struct StoreBench {
    /// What a store keeps its rows in.
    enum Kind: CaseIterable {
        case sqlite
        case model
    }

    let town: Town
    let store: any Store
    let policy: Policy
    let sharer: Identity
    let requester: Identity
    let now = WallTime(milliseconds: 1_800_000_000_000)

    init(_ kind: Kind, policy: Policy = Policy()) throws {
        self.town = try Town()
        self.policy = policy
        self.store =
            switch kind {
            case .sqlite: try SQLiteStore(path: self.town.path("store.sqlite"), policy: policy)
            case .model: ModelStore(policy: policy)
            }
        self.sharer = try Identity(seed: Array(repeating: 7, count: 32))
        self.requester = try Identity(seed: Array(repeating: 8, count: 32))
    }

    func after(_ seconds: Int) -> WallTime { self.now.advanced(by: .seconds(seconds)) }

    func grant(_ byte: UInt8 = 1, interval: UInt32 = 0) throws -> Signed<Grant> {
        try self.sharer.sign(
            Grant(
                id: try #require(GrantID(bytes: Array(repeating: byte, count: 16))),
                sharer: self.sharer.publicIdentity,
                requester: self.requester.publicIdentity,
                precision: .full,
                notBefore: self.now,
                notAfter: self.after(3600),
                intervalMin: interval
            )
        )
    }

    func request(_ byte: UInt8, grant: Signed<Grant>? = nil, expires: Int = 120) throws -> Signed<Request> {
        try self.requester.sign(
            Request(
                id: try #require(RequestID(bytes: Array(repeating: byte, count: 16))),
                grant: grant ?? self.grant(),
                precision: .full,
                suite: .x25519,
                publicKey: Array(repeating: 5, count: 32),
                issued: self.now,
                expires: self.after(expires)
            )
        )
    }

    func revocation(_ number: Int) throws -> Revocation {
        let bytes = Array(repeating: UInt8(0), count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
        let id = try #require(GrantID(bytes: bytes))
        return Revocation(grant: id, sharer: self.sharer.publicIdentity, notAfter: self.now)
    }

    /// Lets the request in, or not, as the server does.
    @discardableResult
    func admit(_ request: Signed<Request>, at seconds: Int = 0) async throws -> StoreAdmission {
        let (verified, policy, now) = (try request.verified(), self.policy, self.after(seconds))
        return try await self.store.admit(request, now: now) { standing in
            RequestLife.requestVerified(verified, standing: standing, policy: policy, now: now)
        }
    }

    /// What the store tells whoever decides about a request; nothing is let in.
    func standing(of request: Signed<Request>) async throws -> Standing {
        let (seen, continuation) = AsyncStream.makeStream(of: Standing.self)
        _ = try await self.store.admit(request, now: self.now) { standing in
            continuation.yield(standing)
            return .refuse(.replayed)
        }
        continuation.finish()
        for await standing in seen { return standing }
        throw TownError()
    }

    func register(token: [UInt8] = [1], issued: Int = 0) async throws {
        try await self.store.register(
            Registration(
                sharer: self.sharer.publicIdentity,
                token: token,
                topic: "a",
                issued: self.after(issued)
            )
        )
    }

    func answer(_ request: Signed<Request>, _ bytes: [UInt8] = [1]) async throws {
        let now = self.now
        _ = try await self.store.apply(to: request.value.id, answer: bytes, token: nil) { $0.answerReceived(now: now) }
    }

    func token() async throws -> [UInt8]? { try await self.store.device(of: self.sharer.publicIdentity)?.token }

    func pending() async throws -> [Signed<Request>] {
        try await self.store.pending(for: self.sharer.publicIdentity).map(\.request)
    }
}
