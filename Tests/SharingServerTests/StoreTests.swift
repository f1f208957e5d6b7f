internal import Sharing
internal import SharingEngine
internal import SharingServer
internal import Testing

/// What every store must do, the simulator's too: else the simulator would show another server than runs.
struct StoreTests {
    @Test(arguments: StoreBench.Kind.allCases) func laterRegistrationWins(_ kind: StoreBench.Kind) async throws {
        let bench = try StoreBench(kind)
        try await bench.register(token: [1], issued: 10)
        try await bench.register(token: [2], issued: 5)
        try await bench.register(token: [2], issued: 10)
        #expect(try await bench.token() == [1])
        try await bench.register(token: [3], issued: 11)
        #expect(try await bench.token() == [3])
        try await bench.register(token: [], issued: 12)
        #expect(try await bench.token() == nil)
        #expect(try await bench.store.device(of: bench.requester.publicIdentity) == nil)
    }

    @Test(arguments: StoreBench.Kind.allCases)
    func whoDecidesSeesWhatIsKept(_ kind: StoreBench.Kind) async throws {
        let bench = try StoreBench(kind)
        let request = try bench.request(2)
        func expect(
            _ device: Standing.Device,
            last: WallTime? = nil,
            pending: Int = 0,
            revoked: Bool = false
        )
            async throws
        {
            let due = Standing(
                isReplayed: false,
                isRevoked: revoked,
                device: device,
                lastAccepted: last,
                pendingCount: pending
            )
            #expect(try await bench.standing(of: request) == due)
        }
        try await expect(.unknown)
        try await bench.register(token: [], issued: 0)
        try await expect(.paused)
        try await bench.register(token: [1], issued: 1)
        try await expect(.registered)
        // What was refused above left nothing.
        #expect(try await bench.store.request(request.value.id) == nil)
        let other = try bench.request(3)
        try await bench.admit(other, at: 7)
        try await expect(.registered, last: bench.after(7), pending: 1)
        try await bench.answer(other)
        try await expect(.registered, last: bench.after(7))
        #expect(try await bench.store.revoke(Revocation(of: request.value.grant.value)))
        try await expect(.registered, last: bench.after(7), revoked: true)
        // Another grant has a use of its own.
        let elsewhere = try await bench.standing(of: bench.request(4, grant: bench.grant(2)))
        #expect(elsewhere.lastAccepted == nil && !elsewhere.isRevoked)
    }

    @Test(arguments: StoreBench.Kind.allCases)
    func theSameRequestIsKnownAndAnotherOfItsNameReplayed(_ kind: StoreBench.Kind) async throws {
        let bench = try StoreBench(kind)
        try await bench.register()
        let request = try bench.request(2)
        guard case .decided(.accept) = try await bench.admit(request) else { throw TownError() }
        guard case .known = try await bench.admit(request) else { throw TownError() }
        #expect(try await bench.standing(of: bench.request(2, expires: 60)).isReplayed)
        guard case .decided(.refuse(.replayed)) = try await bench.admit(bench.request(2, expires: 60)) else {
            throw TownError()
        }
        #expect(try await bench.store.request(request.value.id)?.request == request)
    }

    @Test(arguments: StoreBench.Kind.allCases) func everyStepIsKept(_ kind: StoreBench.Kind) async throws {
        let bench = try StoreBench(kind)
        try await bench.register()
        let (request, now, store) = (try bench.request(2), bench.now, bench.store)
        guard case .decided(.accept(let life, _)) = try await bench.admit(request) else { throw TownError() }
        let record = try #require(try await store.request(request.value.id))
        #expect(record.life == life && record.request == request && record.answer == nil)
        let steps: [@Sendable (inout RequestLife) -> [RequestLife.Effect]] = [
            { $0.pushRejected(PushRejection(nil), now: now) }, { $0.pushAccepted(now: now) },
            { $0.deviceReported(.woken, now: now) }, { $0.deviceReported(.locating, now: now) },
            { $0.answerReceived(now: now) },
        ]
        for step in steps {
            #expect(try await bench.pending() == [request])
            let applied = try #require(try await store.apply(to: request.value.id, answer: [4, 2], token: nil, step))
            let read = try #require(try await store.request(request.value.id))
            #expect(read.life == applied.record.life && read.answer == applied.record.answer)
            #expect(try await store.nextDeadline() == applied.record.life.deadline)
        }
        #expect(try await store.request(request.value.id)?.answer == [4, 2])
        #expect(try await bench.pending().isEmpty)
        // A second answer is too late.
        try await bench.answer(request, [6, 6])
        #expect(try await store.request(request.value.id)?.answer == [4, 2])
        let unknown = try bench.request(9).value.id
        let nothing = try await store.apply(to: unknown, answer: nil, token: nil) { $0.pushAccepted(now: now) }
        #expect(nothing == nil)
    }

    @Test(arguments: StoreBench.Kind.allCases, [[1], [2]] as [[UInt8]])
    func pausingSparesANewerToken(_ kind: StoreBench.Kind, pushed: [UInt8]) async throws {
        let bench = try StoreBench(kind)
        try await bench.register(token: [1], issued: 0)
        let (request, now) = (try bench.request(2), bench.now)
        try await bench.admit(request)
        try await bench.register(token: [2], issued: 1)
        _ = try await bench.store.apply(to: request.value.id, answer: nil, token: pushed) {
            $0.pushRejected(.unregistered, now: now)
        }
        #expect(try await bench.token() == (pushed == [2] ? nil : [2]))
    }

    @Test(arguments: StoreBench.Kind.allCases) func pendingRequestsAreBounded(_ kind: StoreBench.Kind) async throws {
        let bench = try StoreBench(kind, policy: Policy(pendingPerDeviceMax: 2))
        try await bench.register()
        for byte in UInt8(1)...2 {
            guard case .decided(.accept) = try await bench.admit(bench.request(byte)) else { throw TownError() }
        }
        guard case .decided(.tooSoon) = try await bench.admit(bench.request(3)) else { throw TownError() }
    }

    /// Goal: what waits comes in the order it came, what is due by its deadline, and of equal deadlines what came first.
    @Test(arguments: StoreBench.Kind.allCases) func theOrderIsThatOfComing(_ kind: StoreBench.Kind) async throws {
        let bench = try StoreBench(kind)
        try await bench.register()
        // Names that fall, so that an order by name would show; those at second 1 are due a second later.
        let came: [(byte: UInt8, at: Int)] = [(9, 1), (8, 0), (7, 0), (6, 1), (5, 0)]
        for (byte, at) in came { try await bench.admit(bench.request(byte), at: at) }
        #expect(try await bench.pending() == came.map { try bench.request($0.byte) })
        let due = try await bench.store.due(now: bench.after(60), max: 10)
        #expect(due.map { $0.bytes[0] } == [8, 7, 5, 9, 6])
        #expect(try await bench.store.due(now: bench.after(60), max: 4) == Array(due.prefix(4)))
        #expect(try await bench.store.due(now: bench.after(5), max: 10) == Array(due.prefix(3)))
        #expect(try await bench.store.due(now: bench.after(4), max: 10).isEmpty)
        #expect(try await bench.store.nextDeadline() == bench.after(5))
        // The order outlives that one of them is done, and that another changes.
        let now = bench.now
        try await bench.answer(bench.request(7))
        _ = try await bench.store.apply(to: bench.request(8).value.id, answer: nil, token: nil) {
            $0.pushAccepted(now: now)
        }
        #expect(try await bench.pending().map { $0.value.id.bytes[0] } == [9, 8, 6, 5])
        #expect(try await bench.store.due(now: bench.after(60), max: 10).map { $0.bytes[0] } == [5, 9, 6, 8])
    }

    @Test(arguments: StoreBench.Kind.allCases) func revocationsAreBounded(_ kind: StoreBench.Kind) async throws {
        let bench = try StoreBench(kind, policy: Policy(revocationsPerSharerMax: 3))
        for number in 1...3 { #expect(try await bench.store.revoke(bench.revocation(number))) }
        let last = try bench.revocation(4)
        #expect(try await bench.store.revoke(last) == false)
        // What is kept is said to be so, as often as the device asks.
        #expect(try await bench.store.revoke(bench.revocation(3)))
        // Of this sharer alone.
        let elsewhere = Revocation(grant: last.grant, sharer: bench.requester.publicIdentity, notAfter: bench.now)
        #expect(try await bench.store.revoke(elsewhere))
        try await bench.store.prune(now: bench.after(-1))
        #expect(try await bench.store.revoke(last) == false)
        try await bench.store.prune(now: bench.now)
        #expect(try await bench.store.revoke(last))
    }

    @Test(arguments: StoreBench.Kind.allCases) func pruningKeepsWhatIsUnfinished(_ kind: StoreBench.Kind) async throws {
        let bench = try StoreBench(kind)
        try await bench.register()
        let (open, closed, late) = (try bench.request(2), try bench.request(3), bench.after(120))
        try await bench.admit(open)
        try await bench.admit(closed)
        try await bench.answer(closed)
        try await bench.store.prune(now: bench.after(119))
        #expect(try await bench.store.request(closed.value.id) != nil)
        try await bench.store.prune(now: late)
        #expect(try await bench.store.request(closed.value.id) == nil)
        #expect(try await bench.store.request(open.value.id) != nil)
        #expect(try await bench.store.due(now: late, max: 10) == [open.value.id])
    }

    @Test(arguments: StoreBench.Kind.allCases)
    func pruningForgetsGrantsThatEnded(_ kind: StoreBench.Kind) async throws {
        let bench = try StoreBench(kind)
        try await bench.register()
        let request = try bench.request(2)
        try await bench.admit(request)
        #expect(try await bench.store.revoke(Revocation(of: request.value.grant.value)))
        try await bench.store.prune(now: bench.after(3599))
        let before = try await bench.standing(of: bench.request(3))
        #expect(before.isRevoked && before.lastAccepted == bench.now)
        try await bench.store.prune(now: bench.after(3600))
        let after = try await bench.standing(of: bench.request(3))
        #expect(!after.isRevoked && after.lastAccepted == nil)
    }
}
