internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the server's decisions about schedules, with a store in memory.
struct ServerScheduleTests {
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
                try server.answerReceived(answer, bytes: [UInt8(truncatingIfNeeded: request.occurrence)], $0, now: time)
                    .effects
            }
        }

        /// A schedule that continues.
        mutating func begin(_ request: Verified<Request>) throws {
            #expect(try self.ask(request) == .accept)
            try self.answer(request.value)
        }

        mutating func look(at seconds: Int) throws -> [RequestID] {
            let server = self.server
            let effects = try self.transact { try server.look($0, now: after(seconds)).effects }
            return effects.compactMap { if case .push(let id) = $0 { id } else { nil } }
        }

        func occurrences(
            _ request: Request,
            after occurrence: UInt16 = 0,
            at seconds: Int,
            by person: UInt8 = 4
        ) throws -> ScheduleState {
            let permit = ReadPermit(request: request.id, requester: try identity(person))
            return try self.server.occurrences(
                after: occurrence,
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

    private func told(
        _ standing: ScheduleState
    ) throws -> [(occurrence: UInt16, kind: RequestState.Kind, answer: [UInt8]?)] {
        guard case .occurrences(let occurrences, _, _, _) = standing else { throw FixtureError() }
        return try occurrences.map { record in
            (record.request.value.occurrence, try #require(record.life.history.last).kind, record.answer)
        }
    }

    private func next(_ standing: ScheduleState) throws -> WallTime? {
        guard case .occurrences(_, let next, _, _) = standing else { throw FixtureError() }
        return next
    }

    private func ended(_ standing: ScheduleState) throws -> FollowingEnd.Reason? {
        guard case .occurrences(_, _, let ended, _) = standing else { throw FixtureError() }
        return ended
    }

    @Test func aScheduleBeginsWithTheFirstAnswerAndAsksAtEachOccurrence() throws {
        var bench = try Bench()
        let request = try Bench.request()
        #expect(try bench.ask(request) == .accept)
        // A person who did not answer is not asked again.
        #expect(try bench.occurrences(request.value, at: 1) == .unknown)
        let effects = try bench.answer(request.value)
        #expect(effects.contains(.look(by: after(3600))))
        #expect(try bench.look(at: 3599) == [])
        let occurrence = request.value.occurrence(1)
        #expect(try bench.look(at: 3600) == [occurrence.id])
        #expect(try bench.look(at: 3601) == [])
        try bench.answer(occurrence, at: after(3602))
        let standing = try bench.occurrences(request.value, at: 3700)
        #expect(try self.told(standing).map(\.kind) == [.answered] && self.told(standing)[0].answer == [1])
        #expect(try self.next(standing) == after(7200) && self.ended(standing) == nil)
        // Only its requester can read this, and only what is new to them.
        #expect(try bench.occurrences(request.value, at: 3700, by: 9) == .unknown)
        #expect(try self.told(bench.occurrences(request.value, after: 1, at: 3700)).isEmpty)
    }

    @Test func anOccurrenceIsPushedWithoutHasteAndWaitsForItsWholeTime() throws {
        var bench = try Bench()
        let request = try Bench.request()
        try bench.begin(request)
        _ = try bench.look(at: 3600)
        let (server, occurrence) = (bench.server, request.value.occurrence(1))
        guard case .send(let push) = try server.pushDue(occurrence.id, bench.store.view) else { throw FixtureError() }
        #expect(push.priority == .powerConsiderate)
        try bench.transact { _ = try server.pushEnded(occurrence.id, token: push.token, nil, $0, now: after(3600)) }
        _ = try bench.look(at: 4199)
        #expect(try self.told(bench.occurrences(request.value, at: 4199)).map(\.kind) == [.pushed])
        _ = try bench.look(at: 4200)
        #expect(try self.told(bench.occurrences(request.value, at: 4200)).map(\.kind) == [.expired])
    }

    /// Goal: a server that was down makes the current occurrence, and no earlier one.
    @Test func whatCameWhileTheServerWasDownIsLeftOut() throws {
        var bench = try Bench()
        let request = try Bench.request()
        try bench.begin(request)
        #expect(try bench.look(at: 3 * 3600 + 60) == [request.value.occurrence(3).id])
        // Too late for the fourth.
        #expect(try bench.look(at: 4 * 3600 + 600) == [])
        #expect(try self.told(bench.occurrences(request.value, at: 4 * 3600 + 600)).map(\.occurrence) == [3])
        #expect(try self.next(bench.occurrences(request.value, at: 4 * 3600 + 600)) == after(5 * 3600))
    }

    @Test func hoursAndPausesLeaveOccurrencesOutAndSayWhy() throws {
        var bench = try Bench()
        // Noon is 08:00 in UTC.
        let request = try Bench.request(hours: hoursInUTC(8 * 60, 9 * 60 + 30))
        try bench.begin(request)
        #expect(try bench.look(at: 3600) == [request.value.occurrence(1).id])
        #expect(try bench.look(at: 7200) == [])
        try bench.register([], at: after(7300))
        let told = try self.told(bench.occurrences(request.value, at: 7300))
        #expect(told.map(\.kind).last == .tooSoon && told.count == 2)
        // A device that is paused by then.
        #expect(try bench.look(at: 86_400) == [])
        #expect(try self.told(bench.occurrences(request.value, at: 86_400)).map(\.kind).last == .unreachable)
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
            let standing = try bench.occurrences(request.value, at: 3600)
            #expect(try self.ended(standing) == reason && self.next(standing) == nil)
            // This includes one that has not begun: an answer that comes later starts nothing.
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
        #expect(try self.ended(bench.occurrences(request.value, at: 3600)) == .revoked)
    }

    @Test func schedulesAreBoundedAndNobodyPostsAnOccurrence() throws {
        var bench = try Bench()
        for id in 10..<10 + UInt8(SharingPolicy.schedulesPerGrantMax) { try bench.begin(Bench.request(id)) }
        #expect(try bench.ask(Bench.request(50)) == .tooSoon(until: after(30)))
        // An ended schedule makes room.
        #expect(try bench.end(Bench.request(10).value, by: 4, .byFollower) == .confirm)
        let request = try Bench.request(50)
        try bench.begin(request)
        let posted = Verified(request.signed.occurrence(1))
        #expect(try bench.ask(posted, at: after(3600)) == .refuse(.repetitionOver))
    }

    /// Goal: people's requests are accepted for a device even if all its schedules wait for it.
    @Test func occurrencesTakeNoPlaceOfPeople() throws {
        var bench = try Bench()
        for id in 10..<14 as Range<UInt8> { try bench.begin(Bench.request(id)) }
        // One push serves all of them.
        #expect(try bench.look(at: 3600).count == 1)
        let person = try makeRequest(90, issued: after(3600), expires: after(3700), until: after(86_400))
        #expect(try bench.ask(person, at: after(3600)) == .accept)
        let server = bench.server
        let answer = SealedAnswer(
            request: try Bench.request(10).value.occurrence(1).id,
            sharer: try identity(3),
            sealed: []
        )
        let decision = try bench.transact {
            try server.answerReceived(Verified(Signed(value: answer, signature: [])), bytes: [1], $0, now: after(3601))
        }
        guard case .deliver(.answered, let pending, _) = decision.reply else { throw FixtureError() }
        #expect(pending.map(\.value.occurrence) == [0, 1, 1, 1])
    }

    @Test func answersAreKeptAWeekAndTheOldestMakeRoom() throws {
        var bench = try Bench()
        let request = try Bench.request()
        try bench.begin(request)
        for occurrence in 1...(UInt16(ScheduleRecord.occurrencesMax) + 2) {
            _ = try bench.look(at: Int(occurrence) * 3600)
            try bench.answer(request.value.occurrence(occurrence), at: after(Int(occurrence) * 3600))
        }
        let now = (ScheduleRecord.occurrencesMax + 2) * 3600
        let standing = try bench.occurrences(request.value, at: now)
        #expect(try self.told(standing).count == ScheduleRecord.occurrencesPerReplyMax)
        #expect(try self.told(standing).first?.occurrence == 3)
        let server = bench.server
        try bench.transact { _ = try server.look($0, now: after(now + 8 * 86_400)) }
        try bench.transact { _ = try server.look($0, now: after(now + 8 * 86_400 + 1)) }
        #expect(
            try self.told(bench.occurrences(request.value, at: now + 8 * 86_400)).allSatisfy { $0.occurrence > 170 }
        )
    }
}
