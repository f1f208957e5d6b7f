internal import Foundation
internal import Sharing
internal import SharingEngine
internal import SharingServer
internal import Testing

/// What every store must do; SQLite's is the only one so far.
struct StoreTests {
    let directory: Town
    let store: SQLiteStore
    let sharer: Identity
    let requester: Identity
    let now = WallTime(milliseconds: 1_800_000_000_000)

    init() throws {
        self.directory = try Town()
        self.store = try SQLiteStore(path: self.directory.path("store.sqlite"), policy: Policy())
        self.sharer = try Identity(seed: Array(repeating: 7, count: 32))
        self.requester = try Identity(seed: Array(repeating: 8, count: 32))
    }

    private func request(_ byte: UInt8, expires: Int = 120) throws -> Signed<Request> {
        let grantID = try #require(GrantID(bytes: Array(repeating: 1, count: 16)))
        let id = try #require(RequestID(bytes: Array(repeating: byte, count: 16)))
        let grant = try self.sharer.sign(
            Grant(
                id: grantID,
                sharer: self.sharer.publicIdentity,
                requester: self.requester.publicIdentity,
                precision: .full,
                notBefore: self.now,
                notAfter: self.now.advanced(by: .seconds(3600)),
                intervalMin: 0
            )
        )
        return try self.requester.sign(
            Request(
                id: id,
                grant: grant,
                precision: .full,
                suite: .x25519,
                publicKey: Array(repeating: 5, count: 32),
                issued: self.now,
                expires: self.now.advanced(by: .seconds(expires))
            )
        )
    }

    private func admit(_ request: Signed<Request>, policy: Policy = Policy()) async throws -> StoreAdmission {
        let (verified, now) = (try request.verified(), self.now)
        return try await self.store.admit(request, now: now) { standing in
            RequestLife.requestVerified(verified, standing: standing, policy: policy, now: now)
        }
    }

    private func register(token: [UInt8], issued: Int) async throws {
        try await self.store.register(
            Registration(
                sharer: self.sharer.publicIdentity,
                token: token,
                topic: "a",
                issued: self.now.advanced(by: .seconds(issued))
            )
        )
    }

    @Test func laterRegistrationWins() async throws {
        try await self.register(token: [1], issued: 10)
        try await self.register(token: [2], issued: 5)
        #expect(try await self.store.device(of: self.sharer.publicIdentity)?.token == [1])
        try await self.register(token: [3], issued: 11)
        #expect(try await self.store.device(of: self.sharer.publicIdentity)?.token == [3])
        try await self.register(token: [], issued: 12)
        #expect(try await self.store.device(of: self.sharer.publicIdentity) == nil)
        #expect(try await self.store.device(of: self.requester.publicIdentity) == nil)
    }

    @Test func requestSurvivesItsRow() async throws {
        try await self.register(token: [1], issued: 0)
        let request = try self.request(2)
        guard case .decided(.accept(let life, _)) = try await self.admit(request) else { throw TownError() }
        guard case .known = try await self.admit(request) else { throw TownError() }
        let again = try SQLiteStore(path: self.directory.path("store.sqlite"), policy: Policy())
        let record = try #require(try await again.request(request.value.id))
        #expect(record.life == life && record.request == request && record.answer == nil)
        #expect(try await again.pending(for: self.sharer.publicIdentity).map(\.request) == [request])

        let now = self.now
        let steps: [@Sendable (inout RequestLife) -> [RequestLife.Effect]] = [
            { $0.pushAccepted(now: now) }, { $0.deviceReported(.woken, now: now) },
            { $0.deviceReported(.locating, now: now) }, { $0.answerReceived(now: now) },
        ]
        for step in steps {
            let applied = try #require(
                try await self.store.apply(to: request.value.id, answer: [4, 2], token: nil, step)
            )
            let read = try #require(try await again.request(request.value.id))
            #expect(read.life == applied.record.life)
        }
        #expect(try await again.request(request.value.id)?.answer == [4, 2])
        #expect(try await again.pending(for: self.sharer.publicIdentity).isEmpty)
        #expect(try await again.nextDeadline() == nil)
    }

    @Test func pausingSparesANewerToken() async throws {
        try await self.register(token: [1], issued: 0)
        let (request, now) = (try self.request(2), self.now)
        _ = try await self.admit(request)
        try await self.register(token: [2], issued: 1)
        _ = try await self.store.apply(to: request.value.id, answer: nil, token: [1]) {
            $0.pushRejected(.unregistered, now: now)
        }
        #expect(try await self.store.device(of: self.sharer.publicIdentity)?.token == [2])
    }

    @Test func pendingRequestsAreBounded() async throws {
        try await self.register(token: [1], issued: 0)
        let policy = Policy(pendingPerDeviceMax: 2)
        for byte in UInt8(1)...2 {
            guard case .decided(.accept) = try await self.admit(self.request(byte), policy: policy) else {
                throw TownError()
            }
        }
        guard case .decided(.tooSoon) = try await self.admit(self.request(3), policy: policy) else { throw TownError() }
    }

    @Test func revocationsAreBounded() async throws {
        for index in 0..<1000 {
            let id = try #require(
                GrantID(bytes: Array(repeating: 0, count: 14) + [UInt8(index >> 8), UInt8(index & 255)])
            )
            #expect(
                try await self.store.revoke(
                    Revocation(grant: id, sharer: self.sharer.publicIdentity, notAfter: self.now)
                )
            )
        }
        let last = try #require(GrantID(bytes: Array(repeating: 1, count: 16)))
        let one = Revocation(grant: last, sharer: self.sharer.publicIdentity, notAfter: self.now)
        #expect(try await self.store.revoke(one) == false)
        try await self.store.prune(now: self.now)
        #expect(try await self.store.revoke(one))
    }

    @Test func pruningKeepsWhatIsUnfinished() async throws {
        try await self.register(token: [1], issued: 0)
        let (open, closed) = (try self.request(2), try self.request(3))
        let (late, now) = (self.now.advanced(by: .seconds(120)), self.now)
        _ = try await self.admit(open)
        _ = try await self.admit(closed)
        _ = try await self.store.apply(to: closed.value.id, answer: [1], token: nil) { $0.answerReceived(now: now) }
        try await self.store.prune(now: now.advanced(by: .seconds(119)))
        #expect(try await self.store.request(closed.value.id) != nil)
        try await self.store.prune(now: late)
        #expect(try await self.store.request(closed.value.id) == nil)
        #expect(try await self.store.request(open.value.id) != nil)
        #expect(try await self.store.due(now: late, max: 10) == [open.value.id])
    }

    @Test func fileIsPrivateAndForeignFilesAreNamed() async throws {
        let path = self.directory.path("store.sqlite")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let foreign = self.directory.path("foreign")
        try Data("no database, but long enough to be looked at".utf8).write(to: URL(filePath: foreign))
        let error = #expect(throws: SharingError.self) { try SQLiteStore(path: foreign, policy: Policy()) }
        #expect(error?.message.contains(foreign) == true)
    }

    @Test func busWakesEachSubscriberOnce() async throws {
        let bus = InProcessBus()
        let id = try self.request(2).value.id
        var first = bus.subscribe(to: id).makeAsyncIterator()
        var second = bus.subscribe(to: id).makeAsyncIterator()
        bus.publish(id)
        bus.publish(id)
        #expect(await first.next() != nil)
        #expect(await second.next() != nil)
    }
}
