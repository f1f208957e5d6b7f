internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the server's top-level machine, with a store in memory that works when a test lets it.
struct SharingCoreTests {
    private struct Bench {
        var core: SharingCore
        var store = ModelRequestStore()
        /// The accesses for the store, oldest first.
        var accesses: [SharingCore.Access] = []
        /// All other effects since ``take()``.
        var effects: [SharingCore.Effect] = []

        init(streamsMax: Int = 10) throws {
            self.core = SharingCore(policy: SharingPolicy(), streamsMax: streamsMax, now: Self.now(0))
        }

        static func now(_ seconds: Double) -> Now {
            Now(
                monotonic: EngineInstant(sinceStart: .seconds(seconds)),
                wall: noon.advanced(by: .seconds(seconds))
            )
        }

        mutating func feed(_ input: SharingCore.Input, at seconds: Double = 0) {
            for effect in self.core.handle(input, now: Self.now(seconds)) {
                guard case .access(let access) = effect else {
                    self.effects.append(effect)
                    continue
                }
                self.accesses.append(access)
            }
        }

        mutating func state(_ statement: SharingCore.Statement, _ ticket: UInt64, at seconds: Double = 0) {
            self.feed(.stated(statement, from: AddressBlock([192, 0, 2, 1]), ticket), at: seconds)
        }

        mutating func ask(_ question: SharingCore.Question, _ ticket: UInt64, at seconds: Double = 0) {
            self.feed(.asked(question, from: AddressBlock([192, 0, 2, 1]), ticket), at: seconds)
        }

        /// Lets the store do one operation, or fail.
        mutating func work(at seconds: Double = 0, fails: Bool = false) throws {
            let access = self.accesses.removeFirst()
            if fails { return self.feed(.storeFailed(access), at: seconds) }
            let (server, now) = (self.core.server, Self.now(seconds).wall)
            switch access {
            case .read(let query):
                self.feed(.found(try self.store.read { try server.read(query, $0, now: now) }), at: seconds)
            case .write(let change):
                let (decision, changed) = try self.store.transaction { try server.write(change, $0, now: now) }
                if let changed { self.store = changed }
                self.feed(.found(decision.reply, decision.effects), at: seconds)
            }
        }

        mutating func settle(at seconds: Double = 0) throws {
            while !self.accesses.isEmpty { try self.work(at: seconds) }
        }

        mutating func take() -> [SharingCore.Effect] {
            defer { self.effects = [] }
            return self.effects
        }

        /// Registers the sharer's device and asks it.
        mutating func begin(follows: Bool = false) throws -> Verified<Request> {
            let minutes: UInt16? = follows ? 60 : nil
            let request = try makeRequest(until: after(86_400), followMinutesMax: minutes, followMinutes: minutes)
            self.state(.register(try makeRegistration()), 1)
            try self.settle()
            self.state(.request(request), 2)
            try self.settle()
            _ = self.take()
            return request
        }
    }

    private func permit(_ request: Verified<Request>, by reader: UInt8 = 4) throws -> Verified<ReadPermit> {
        verified(ReadPermit(request: request.value.id, requester: try identity(reader)))
    }

    private func report(_ progress: DeviceProgress, _ request: Verified<Request>) throws -> SharingCore.Statement {
        .report(verified(DeviceReport(request: request.value.id, sharer: try identity(3), progress: progress)))
    }

    private func update(_ request: Verified<Request>, _ bytes: [UInt8]) throws -> SharingCore.Question {
        let update = SealedUpdate(request: request.value.id, sharer: try identity(3), sealed: [])
        return .update(verified(update), bytes: bytes)
    }

    /// The states that a message tells.
    private func states(_ effects: [SharingCore.Effect]) -> [[RequestState.Kind]] {
        effects.compactMap { if case .tell(_, .states(let states), _) = $0 { states.map(\.state.kind) } else { nil } }
    }

    // MARK: The store

    @Test func aReplyLeavesAfterTheCommit() throws {
        var bench = try Bench()
        let request = try makeRequest()
        bench.state(.register(try makeRegistration()), 1)
        try bench.settle()
        #expect(bench.take() == [.reply(1, .registered(.confirm))])
        bench.state(.request(request), 2)
        #expect(bench.take() == [] && bench.accesses == [.write(.state(.request(request), 2))])
        try bench.work()
        #expect(bench.accesses == [.read(.push(request.value.id))])
        let effects = bench.take()
        #expect(effects.last == .reply(2, .requested(.accept, request.value.id)))
        guard case .note(.became(request.value.id, let state))? = effects.first else { throw FixtureError() }
        #expect(effects.count == 2 && state.kind == .accepted)
    }

    @Test func aStoreThatFailsChangesNothing() throws {
        var bench = try Bench()
        bench.state(.register(try makeRegistration()), 1)
        try bench.work()
        try bench.work(fails: true)
        #expect(bench.take() == [.reply(1, .failed)])
        bench.ask(.stream(.states, try self.permit(try makeRequest())), 2)
        try bench.work(fails: true)
        #expect(bench.take() == [.reply(2, .failed)] && bench.core.streams.count == 0)
    }

    // MARK: Limits

    @Test func anAddressLeavesSomeStatementsOfNewcomers() throws {
        var bench = try Bench()
        let revocation = Revocation(of: try makeRequest().value.grant.value)
        for ticket in 0..<UInt64(SharingPolicy().newcomerPace.burst) {
            bench.state(.revoke(verified(revocation)), ticket)
            try bench.settle()
            #expect(bench.take() == [.reply(ticket, .revoked(.confirm))])
        }
        bench.state(.revoke(verified(revocation)), 999)
        try bench.work()
        let until = noon.advanced(by: SharingPolicy().newcomerPace.interval)
        #expect(bench.take() == [.reply(999, .tooSoon(.statements, until: until))] && bench.accesses.isEmpty)
    }

    @Test func anAddressMissesSomeLinks() throws {
        var bench = try Bench()
        for ticket in 0..<UInt64(SharingPolicy.linkMissPace.burst) { bench.ask(.link(nil), ticket) }
        bench.ask(.link(nil), 999)
        let until = noon.advanced(by: SharingPolicy.linkMissPace.interval)
        #expect(bench.take() == [.reply(999, .tooSoon(.links, until: until))])
    }

    // MARK: Event streams

    /// Goal: a slow reader costs memory for one message, and misses no state.
    @Test func aStreamHasOneMessageUnderWay() throws {
        var bench = try Bench()
        let request = try bench.begin()
        bench.ask(.stream(.states, try self.permit(request)), 3)
        try bench.settle()
        let opened = bench.take()
        #expect(opened.first == .reply(3, .opened(.stranger)) && self.states(opened) == [[.accepted]])
        bench.state(try self.report(.woken, request), 4)
        bench.state(try self.report(.locating, request), 5)
        try bench.settle()
        #expect(self.states(bench.take()).isEmpty)
        bench.feed(.told(3))
        try bench.settle()
        #expect(self.states(bench.take()) == [[.woken, .locating]])
        bench.feed(.told(3))
        #expect(bench.accesses.isEmpty)
    }

    @Test func aStreamLooksUnaskedAndEndsWithItsRequest() throws {
        var bench = try Bench()
        let request = try bench.begin()
        bench.ask(.stream(.states, try self.permit(request)), 3)
        try bench.settle()
        bench.feed(.told(3))
        _ = bench.take()
        #expect(bench.core.nextDeadline.at == Bench.now(0).monotonic)
        bench.feed(.deadlineReached)
        // While the store is being read, the poll is the only deadline.
        let poll = bench.core.nextDeadline
        #expect(poll.at == Bench.now(5).monotonic && poll.reason == .poll)
        try bench.settle()
        _ = bench.take()
        #expect(bench.core.nextDeadline.at == Bench.now(5).monotonic)
        bench.feed(.deadlineReached, at: 5)
        #expect(bench.accesses.contains { if case .read(.look(3, _, _)) = $0 { true } else { false } })
        try bench.settle(at: 5)
        #expect(self.states(bench.take()) == [[]])
        bench.feed(.told(3), at: 5)
        let answer = SealedAnswer(request: request.value.id, sharer: try identity(3), sealed: [])
        bench.state(.answer(verified(answer), bytes: [7]), 4, at: 6)
        try bench.settle(at: 6)
        let end = bench.take()
        #expect(self.states(end) == [[.answered]] && bench.core.streams.count == 0)
        guard case .tell(3, .states(let states), isLast: true)? = end.last else { throw FixtureError() }
        #expect(states.map(\.answer) == [[7]])
    }

    @Test func aStreamThatClosedMeanwhileTellsNothing() throws {
        var bench = try Bench()
        let request = try bench.begin()
        bench.ask(.stream(.states, try self.permit(request)), 3)
        try bench.work()
        _ = bench.take()
        bench.feed(.streamClosed(3))
        try bench.settle()
        bench.feed(.told(3))
        #expect(bench.take() == [] && bench.accesses.isEmpty && bench.core.streams.count == 0)
    }

    @Test func aStrangersStreamMakesRoom() throws {
        var bench = try Bench(streamsMax: 1)
        let permit = try self.permit(try bench.begin())
        bench.ask(.stream(.states, permit), 3)
        try bench.settle()
        _ = bench.take()
        bench.ask(.stream(.states, permit), 4)
        try bench.work()
        #expect(bench.take() == [.close(3), .note(.displaced(3)), .reply(4, .opened(.stranger))])
        #expect(bench.core.streams.count == 1)
    }

    /// Goal: a stranger whose registration stays valid for a day cannot keep streams forever.
    @Test func aPatientStrangersStreamMakesRoom() throws {
        let day = 86_400
        var bench = try Bench(streamsMax: 1)
        bench.state(.register(try makeRegistration()), 1)
        try bench.settle()
        let request = try makeRequest(issued: after(day), expires: after(day + 120), until: after(2 * day))
        bench.state(.request(request), 2, at: Double(day))
        try bench.settle(at: Double(day))
        let permit = try self.permit(request)
        bench.ask(.stream(.states, permit), 3, at: Double(day))
        try bench.settle(at: Double(day))
        _ = bench.take()
        bench.ask(.stream(.states, permit), 4, at: Double(day))
        try bench.work(at: Double(day))
        #expect(bench.take() == [.close(3), .note(.displaced(3)), .reply(4, .opened(.enrolled))])
    }

    @Test func aRequesterAndASharerHaveSomeStreams() throws {
        var bench = try Bench(streamsMax: 10_000)
        let request = try bench.begin()
        let permit = try self.permit(request)
        for ticket in 0..<UInt64(EventStreams.ofRequesterMax) {
            bench.ask(.stream(.states, permit), 100 + ticket)
            try bench.settle()
        }
        _ = bench.take()
        bench.ask(.stream(.states, permit), 3)
        try bench.settle()
        #expect(bench.take() == [.reply(3, .noStream(.count))])
        bench.feed(.streamClosed(100))
        bench.ask(.stream(.states, permit), 4)
        try bench.work()
        #expect(bench.take() == [.reply(4, .opened(.stranger))])
        bench.ask(.stream(.states, try self.permit(request, by: 9)), 5)
        try bench.work()
        try bench.settle()
        #expect(bench.take().contains(.reply(5, .unknown)))
    }

    // MARK: Live shares

    @Test func anUpdateIsShownToAnyoneWhoWatches() throws {
        var bench = try Bench()
        let request = try bench.begin(follows: true)
        bench.ask(try self.update(request, [1]), 3)
        try bench.settle()
        #expect(bench.take() == [.note(.followingBegan), .reply(3, .shown(isWatched: false))])
        bench.ask(.stream(.updates, try self.permit(request)), 4)
        try bench.settle()
        #expect(bench.take() == [.reply(4, .opened(.stranger)), .tell(4, .update([1]), isLast: false)])
        bench.feed(.told(4))
        bench.ask(try self.update(request, [2]), 5)
        try bench.settle()
        #expect(bench.take() == [.reply(5, .shown(isWatched: true)), .tell(4, .update([2]), isLast: false)])
        bench.feed(.streamClosed(4))
        bench.ask(try self.update(request, [3]), 6)
        try bench.settle()
        #expect(bench.take() == [.reply(6, .shown(isWatched: false))])
    }

    @Test func anEndReachesAnyoneWhoWatches() throws {
        var bench = try Bench()
        let request = try bench.begin(follows: true)
        bench.ask(.stream(.updates, try self.permit(request)), 3)
        try bench.settle()
        bench.feed(.told(3))
        _ = bench.take()
        let end = FollowingEnd(request: request.value.id, author: try identity(3), time: noon, reason: .bySharer)
        bench.state(.end(verified(end), bytes: [9]), 4)
        try bench.settle()
        let last = SharingCore.Effect.tell(3, .ended(.bySharer, statement: [9]), isLast: true)
        #expect(bench.take() == [.reply(4, .ended(.confirm)), last] && bench.core.streams.count == 0)
        bench.ask(try self.update(request, [1]), 5)
        try bench.settle()
        #expect(bench.take() == [.reply(5, .over(.bySharer, statement: [9]))])
    }

    // MARK: Pushes and time

    @Test func aTokenThatIsRefusedIsToldOnceAnHour() throws {
        var bench = try Bench()
        let request = try makeRequest()
        bench.state(.register(try makeRegistration()), 1)
        try bench.settle()
        bench.state(.request(request), 2)
        try bench.settle()
        guard case .send(let push)? = bench.take().last else { throw FixtureError() }
        #expect(push.request == request.signed)
        for (second, isTold) in [(0.0, true), (1, false), (3600, true)] {
            bench.feed(.pushEnded(push, .tokenRefused(.badDeviceToken)), at: second)
            #expect(bench.take() == (isTold ? [.note(.tokensRefused(.badDeviceToken))] : []))
            let end = SharingCore.Change.pushEnded(
                request.value.id,
                of: request.value.grant.value.sharer,
                push.token,
                .tokenRefused(.badDeviceToken)
            )
            #expect(bench.accesses == [.write(end)])
            bench.accesses = []
        }
    }

    @Test func aPushIsNotSentTwiceAtATime() throws {
        var bench = try Bench()
        let request = try bench.begin()
        bench.feed(.deadlineReached, at: 5)
        try bench.settle(at: 5)
        #expect(bench.take() == [])
        let token = try #require(DeviceToken(bytes: [1]))
        let push = RequestPush(token: token, topic: "a", key: [], request: request.signed)
        bench.feed(.pushEnded(push, .temporary("busy")), at: 6)
        try bench.settle(at: 6)
        bench.feed(.deadlineReached, at: 11)
        try bench.settle(at: 11)
        guard case .send(let again)? = bench.take().last else { throw FixtureError() }
        #expect(again.request == request.signed)
    }

    /// Goal: one read of the store is in progress at a time, and a failed one is soon repeated.
    @Test func oneLookIsUnderWay() throws {
        var bench = try Bench()
        bench.feed(.deadlineReached)
        #expect(bench.accesses == [.write(.look)])
        bench.feed(.deadlineReached, at: 10)
        #expect(bench.accesses.count == 1 && bench.core.nextDeadline.at == Bench.now(11).monotonic)
        try bench.work(at: 10.5, fails: true)
        let next = bench.core.nextDeadline
        #expect(next.at == Bench.now(11).monotonic && next.reason == .store)
        bench.feed(.deadlineReached, at: 11)
        #expect(bench.accesses == [.write(.look)])
    }

    /// Goal: a deadline that is added while the store is read is not missed.
    @Test func aDeadlineAddedDuringALookIsKept() throws {
        var bench = try Bench()
        bench.feed(.deadlineReached)
        let look = bench.accesses.removeFirst()
        _ = try bench.begin()
        #expect(bench.core.nextDeadline.at == Bench.now(5).monotonic)
        bench.accesses = [look]
        try bench.settle(at: 1)
        #expect(bench.core.nextDeadline.at == Bench.now(5).monotonic)
    }

    @Test func aClockThatWasSetBackPostponesNoLook() throws {
        var bench = try Bench()
        bench.feed(.deadlineReached)
        try bench.settle()
        let past = Now(monotonic: Bench.now(10).monotonic, wall: noon.advanced(by: .seconds(-3600)))
        #expect(bench.core.handle(.deadlineReached, now: past) == [.access(.write(.look))])
    }
}
