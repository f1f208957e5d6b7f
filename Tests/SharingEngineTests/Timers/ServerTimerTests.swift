internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The server's decisions about timers, over a store in memory.
struct ServerTimerTests {
    private struct Bench {
        let server = Server(policy: SharingPolicy())
        var store = ModelRequestStore()

        init() throws { try self.register([1]) }

        mutating func register(_ token: [UInt8], at time: WallTime = noon) throws {
            let (server, registration) = (self.server, try makeRegistration(token: token, issued: time))
            try self.transact { try server.deviceRegistered(registration, $0, now: time) }
        }

        @discardableResult
        mutating func transact<Value>(_ body: (any RequestStoreTransaction) throws -> Value) throws -> Value {
            let (value, changed) = try self.store.transaction(body)
            if let changed { self.store = changed }
            return value
        }

        static func request(_ id: UInt8 = 2, hours: DayHours? = nil) throws -> Verified<Request> {
            try makeRequest(
                id,
                until: after(40 * 86_400),
                hours: hours,
                repetition: Repetition(everyMinutes: 60, until: after(30 * 86_400))
            )
        }

        mutating func ask(_ request: Verified<Request>, at time: WallTime = noon) throws -> Server.OnRequest {
            let server = self.server
            return try self.transact { try server.requestReceived(request, $0, now: time).reply }
        }

        @discardableResult
        mutating func answer(_ request: Request, at time: WallTime = noon) throws -> [Server.Effect] {
            let value = SealedAnswer(request: request.id, sharer: try identity(3), sealed: [])
            let (server, answer) = (self.server, Verified(Signed(value: value, signature: [])))
            return try self.transact {
                try server.answerReceived(answer, bytes: [UInt8(truncatingIfNeeded: request.turn)], $0, now: time)
                    .effects
            }
        }

        /// A timer that goes on.
        mutating func begin(_ request: Verified<Request>) throws {
            #expect(try self.ask(request) == .accept)
            try self.answer(request.value)
        }

        mutating func look(at seconds: Int) throws -> [RequestID] {
            let server = self.server
            let effects = try self.transact { try server.look($0, now: after(seconds)).effects }
            return effects.compactMap { if case .push(let id) = $0 { id } else { nil } }
        }

        func turns(
            _ request: Request,
            after turn: UInt16 = 0,
            at seconds: Int,
            by person: UInt8 = 4
        ) throws -> ScheduleState {
            let permit = ReadPermit(request: request.id, requester: try identity(person))
            return try self.server.turns(
                after: turn,
                of: Verified(Signed(value: permit, signature: [])),
                self.store.view,
                now: SharingEngineTests.after(seconds)
            )
        }

        mutating func end(
            _ request: Request,
            by author: UInt8,
            _ reason: FollowingEnd.Reason
        ) throws
            -> Server.OnFollowingEnded
        {
            let value = FollowingEnd(request: request.id, author: try identity(author), time: noon, reason: reason)
            let (server, end) = (self.server, Verified(Signed(value: value, signature: [])))
            return try self.transact { try server.followingEnded(end, bytes: [author], $0, now: noon).reply }
        }
    }

    private func told(_ standing: ScheduleState) throws -> [(turn: UInt16, kind: RequestState.Kind, answer: [UInt8]?)] {
        guard case .turns(let turns, _, _, _) = standing else { throw FixtureError() }
        return try turns.map { record in
            (record.request.value.turn, try #require(record.life.history.last).kind, record.answer)
        }
    }

    private func next(_ standing: ScheduleState) throws -> WallTime? {
        guard case .turns(_, let next, _, _) = standing else { throw FixtureError() }
        return next
    }

    private func ended(_ standing: ScheduleState) throws -> FollowingEnd.Reason? {
        guard case .turns(_, _, let ended, _) = standing else { throw FixtureError() }
        return ended
    }

    @Test func aTimerBeginsWithTheFirstAnswerAndAsksAtEachTurn() throws {
        var bench = try Bench()
        let request = try Bench.request()
        #expect(try bench.ask(request) == .accept)
        // A person who did not answer is not asked again.
        #expect(try bench.turns(request.value, at: 1) == .unknown)
        let effects = try bench.answer(request.value)
        #expect(effects.contains(.look(by: after(3600))))
        #expect(try bench.look(at: 3599) == [])
        let turn = request.value.turn(1)
        #expect(try bench.look(at: 3600) == [turn.id])
        #expect(try bench.look(at: 3601) == [])
        try bench.answer(turn, at: after(3602))
        let standing = try bench.turns(request.value, at: 3700)
        #expect(try self.told(standing).map(\.kind) == [.answered] && self.told(standing)[0].answer == [1])
        #expect(try self.next(standing) == after(7200) && self.ended(standing) == nil)
        // Its requester alone reads that, and only what is new to them.
        #expect(try bench.turns(request.value, at: 3700, by: 9) == .unknown)
        #expect(try self.told(bench.turns(request.value, after: 1, at: 3700)).isEmpty)
    }

    @Test func aTurnIsPushedWithoutHasteAndWaitsForItsWholeTime() throws {
        var bench = try Bench()
        let request = try Bench.request()
        try bench.begin(request)
        _ = try bench.look(at: 3600)
        let (server, turn) = (bench.server, request.value.turn(1))
        guard case .send(let push) = try server.pushDue(turn.id, bench.store.view) else { throw FixtureError() }
        #expect(push.priority == .powerConsiderate)
        try bench.transact { _ = try server.pushEnded(turn.id, token: push.token, nil, $0, now: after(3600)) }
        _ = try bench.look(at: 4199)
        #expect(try self.told(bench.turns(request.value, at: 4199)).map(\.kind) == [.pushed])
        _ = try bench.look(at: 4200)
        #expect(try self.told(bench.turns(request.value, at: 4200)).map(\.kind) == [.expired])
    }

    /// Goal: a server that was down asks for the turn of now, and for none of before.
    @Test func whatCameWhileTheServerWasDownIsLeftOut() throws {
        var bench = try Bench()
        let request = try Bench.request()
        try bench.begin(request)
        #expect(try bench.look(at: 3 * 3600 + 60) == [request.value.turn(3).id])
        // Too late for the fourth.
        #expect(try bench.look(at: 4 * 3600 + 600) == [])
        #expect(try self.told(bench.turns(request.value, at: 4 * 3600 + 600)).map(\.turn) == [3])
        #expect(try self.next(bench.turns(request.value, at: 4 * 3600 + 600)) == after(5 * 3600))
    }

    @Test func hoursAndPausesLeaveTurnsOutAndSayWhy() throws {
        var bench = try Bench()
        // Noon is 08:00 in UTC.
        let request = try Bench.request(hours: hoursInUTC(8 * 60, 9 * 60 + 30))
        try bench.begin(request)
        #expect(try bench.look(at: 3600) == [request.value.turn(1).id])
        #expect(try bench.look(at: 7200) == [])
        try bench.register([], at: after(7300))
        let told = try self.told(bench.turns(request.value, at: 7300))
        #expect(told.map(\.kind).last == .tooSoon && told.count == 2)
        // A device that is paused by then.
        #expect(try bench.look(at: 86_400) == [])
        #expect(try self.told(bench.turns(request.value, at: 86_400)).map(\.kind).last == .unreachable)
    }

    @Test func eitherSideEndsIt() throws {
        for (author, reason) in [(3, FollowingEnd.Reason.bySharer), (4, .byFollower)] as [(UInt8, FollowingEnd.Reason)]
        {
            var bench = try Bench()
            let request = try Bench.request()
            try bench.begin(request)
            #expect(try bench.end(request.value, by: 9, reason) == .unknown)
            #expect(try bench.end(request.value, by: author, reason) == .confirm)
            #expect(try bench.look(at: 3600) == [])
            let standing = try bench.turns(request.value, at: 3600)
            #expect(try self.ended(standing) == reason && self.next(standing) == nil)
            // Also one that has not begun: the answer that comes begins nothing.
            let other = try Bench.request(7)
            #expect(try bench.ask(other) == .accept)
            #expect(try bench.end(other.value, by: author, reason) == .confirm)
            try bench.answer(other.value)
            #expect(try bench.look(at: 3600) == [])
        }
    }

    @Test func aRevocationEndsIt() throws {
        var bench = try Bench()
        let request = try Bench.request()
        try bench.begin(request)
        let (server, revocation) = (bench.server, Revocation(of: request.value.grant.value))
        try bench.transact {
            try server.grantRevoked(Verified(Signed(value: revocation, signature: [])), $0, now: after(60))
        }
        #expect(try bench.look(at: 3600) == [])
        #expect(try self.ended(bench.turns(request.value, at: 3600)) == .revoked)
    }

    @Test func timersAreBoundedAndNobodyPostsATurn() throws {
        var bench = try Bench()
        for id in 10..<10 + UInt8(SharingPolicy.timersPerGrantMax) { try bench.begin(Bench.request(id)) }
        #expect(try bench.ask(Bench.request(50)) == .tooSoon(until: after(30)))
        // An ended schedule makes room.
        #expect(try bench.end(Bench.request(10).value, by: 4, .byFollower) == .confirm)
        let request = try Bench.request(50)
        try bench.begin(request)
        let posted = Verified(request.signed.turn(1))
        #expect(try bench.ask(posted, at: after(3600)) == .refuse(.repetitionOver))
    }

    /// Goal: people find a place at a device whose timers all wait for it.
    @Test func turnsTakeNoPlaceOfPeople() throws {
        var bench = try Bench()
        for id in 10..<14 as Range<UInt8> { try bench.begin(Bench.request(id)) }
        // One push for all of them.
        #expect(try bench.look(at: 3600).count == 1)
        let person = try makeRequest(90, issued: after(3600), expires: after(3700), until: after(86_400))
        #expect(try bench.ask(person, at: after(3600)) == .accept)
        let server = bench.server
        let answer = SealedAnswer(request: try Bench.request(10).value.turn(1).id, sharer: try identity(3), sealed: [])
        let decision = try bench.transact {
            try server.answerReceived(Verified(Signed(value: answer, signature: [])), bytes: [1], $0, now: after(3601))
        }
        guard case .deliver(.answered, let pending, _) = decision.reply else { throw FixtureError() }
        #expect(pending.map(\.value.turn) == [0, 1, 1, 1])
    }

    @Test func answersAreKeptAWeekAndTheOldestMakeRoom() throws {
        var bench = try Bench()
        let request = try Bench.request()
        try bench.begin(request)
        for turn in 1...(UInt16(TimerRecord.turnsMax) + 2) {
            _ = try bench.look(at: Int(turn) * 3600)
            try bench.answer(request.value.turn(turn), at: after(Int(turn) * 3600))
        }
        let now = (TimerRecord.turnsMax + 2) * 3600
        let standing = try bench.turns(request.value, at: now)
        #expect(try self.told(standing).count == TimerRecord.turnsPerReplyMax)
        #expect(try self.told(standing).first?.turn == 3)
        let server = bench.server
        try bench.transact { _ = try server.look($0, now: after(now + 8 * 86_400)) }
        try bench.transact { _ = try server.look($0, now: after(now + 8 * 86_400 + 1)) }
        #expect(try self.told(bench.turns(request.value, at: now + 8 * 86_400)).allSatisfy { $0.turn > 170 })
    }
}
