internal import SystemSimulator
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the server's decisions with a store in memory, carried out as a host does.
struct ServerTests {
    /// A server, its store, and the effects that others saw.
    private struct Bench {
        let server: Server
        var store = ModelRequestStore()

        init(policy: SharingPolicy = SharingPolicy()) {
            self.server = Server(policy: policy)
        }

        /// One decision, within a transaction and after its commit.
        mutating func decide<Reply>(
            _ input: (Server, any RequestStoreTransaction) throws -> Server.Decision<Reply>
        ) throws -> (reply: Reply, effects: [Server.Effect]) {
            let server = self.server
            let (decision, changed) = try self.store.transaction { try input(server, $0) }
            if let changed { self.store = changed }
            return (decision.reply, decision.effects)
        }

        mutating func register(_ token: [UInt8] = [1], at time: WallTime = noon) throws {
            let verified = try makeRegistration(token: token, issued: time)
            let server = self.server
            let (action, changed) = try self.store.transaction {
                try server.deviceRegistered(verified, $0, now: time).reply
            }
            #expect(action == .confirm)
            if let changed { self.store = changed }
        }

        mutating func revoke(until end: WallTime = after(3600)) throws -> Server.OnRevoked {
            let revocation = Revocation(of: try makeRequest(until: end).value.grant.value)
            let (verified, server) = (Verified(Signed(value: revocation, signature: [])), self.server)
            let (action, changed) = try self.store.transaction { try server.grantRevoked(verified, $0, now: noon) }
            if let changed { self.store = changed }
            return action
        }

        mutating func ask(_ id: UInt8 = 2, at time: WallTime = noon) throws -> (Server.OnRequest, [Server.Effect]) {
            let request = try makeRequest(id)
            let (reply, outputs) = try self.decide { try $0.requestReceived(request, $1, now: time) }
            return (reply, outputs)
        }

        mutating func report(
            _ progress: DeviceProgress,
            of id: UInt8 = 2,
            by sharer: UInt8 = 3
        ) throws
            -> Server.OnReport
        {
            let value = DeviceReport(
                request: try makeRequest(id).value.id,
                sharer: try identity(sharer),
                progress: progress
            )
            return try self.decide {
                try $0.deviceReported(Verified(Signed(value: value, signature: [])), $1, now: noon)
            }.reply
        }

        mutating func answer(_ id: UInt8 = 2, by sharer: UInt8 = 3, _ bytes: [UInt8] = [7]) throws -> Server.OnAnswer {
            let value = SealedAnswer(request: try makeRequest(id).value.id, sharer: try identity(sharer), sealed: [])
            let answer = Verified(Signed(value: value, signature: []))
            return try self.decide { try $0.answerReceived(answer, bytes: bytes, $1, now: noon) }.reply
        }

        mutating func look(at time: WallTime) throws -> [Server.Effect] {
            try self.decide { try $0.look($1, now: time) }.effects
        }

        func record(_ id: UInt8 = 2) throws -> RequestRecord? { try self.store.view.request(makeRequest(id).value.id) }
    }

    private func id(_ byte: UInt8) throws -> RequestID { try makeRequest(byte).value.id }

    private func sent(_ effects: [Server.Effect]) -> [RequestID] {
        effects.compactMap { if case .push(let id) = $0 { id } else { nil } }
    }

    // MARK: Requests

    @Test func requestIsPushedOnceItIsOnDisk() throws {
        var bench = Bench()
        try bench.register()
        let (reply, outputs) = try bench.ask()
        let life = try #require(try bench.record()).life
        #expect(reply == .accept)
        let id = try self.id(2)
        #expect(outputs == [.push(id), .announce(id, life.history[0]), .look(by: after(5))])
        let again = try bench.ask()
        #expect(again.0 == .acceptAgain && again.1.isEmpty)
    }

    /// Goal: a request is identified by the bytes that its requester signed, not by its ID alone.
    @Test func otherBytesWithTheSameIDAreAConflict() throws {
        var bench = Bench()
        try bench.register()
        #expect(try bench.ask().0 == .accept)
        let other = try makeRequest(expires: after(60))
        #expect(try bench.decide { try $0.requestReceived(other, $1, now: noon) }.reply == .conflict)
        // After the first one expired, the ID is unknown.
        let later = try makeRequest(issued: after(121), expires: after(240))
        for _ in 0..<3 { _ = try bench.look(at: after(121)) }
        #expect(try bench.decide { try $0.requestReceived(later, $1, now: after(121)) }.reply == .accept)
    }

    /// Goal: nobody can find out that another person's ID is in use.
    @Test func theIDOfAnotherPersonsRequestIsRefusedAsAStrangers() throws {
        var bench = Bench()
        try bench.register()
        #expect(try bench.ask().0 == .accept)
        let grant = try makeRequest().value.grant.value
        let own = Grant(
            id: try #require(GrantID(bytes: Array(repeating: 9, count: 16))),
            sharer: grant.sharer,
            requester: try identity(5),
            precision: .full,
            notBefore: noon,
            notAfter: after(3600),
            intervalMin: 0
        )
        let request = Request(
            id: try self.id(2),
            grant: Signed(value: own, signature: []),
            precision: .full,
            suite: .x25519,
            publicKey: [],
            issued: noon,
            expires: after(120)
        )
        let verified = Verified(Signed(value: request, signature: []))
        #expect(try bench.decide { try $0.requestReceived(verified, $1, now: noon) }.reply == .refuse(.replayed))
    }

    @Test func whatIsRefusedLeavesNothing() throws {
        var bench = Bench()
        #expect(try bench.ask().0 == .refuse(.unknownDevice))
        #expect(try bench.record() == nil)
        try bench.register()
        #expect(try bench.revoke() == .confirm)
        #expect(try bench.ask().0 == .refuse(.revoked))
    }

    @Test func laterRegistrationHolds() throws {
        var bench = Bench()
        try bench.register([1], at: after(10))
        try bench.register([2], at: after(5))
        #expect(try bench.store.view.registration(of: identity(3))?.token == [1])
        try bench.register([], at: after(11))
        let (reply, outputs) = try bench.ask()
        #expect(reply == .accept && self.sent(outputs).isEmpty)
        #expect(try bench.record()?.life.state == .unreachable)
    }

    /// Goal: no row is kept for longer than a grant can last, and no revocation is forgotten while its grant could be
    /// used.
    @Test func revocationsEndWithTheirGrants() throws {
        var bench = Bench()
        let end = noon.advanced(by: SharingPolicy.grantLifetimeMax + SharingPolicy().clockSkewMax)
        #expect(try bench.revoke(until: end.advanced(by: .milliseconds(1))) == .refuseEnd)
        #expect(try bench.revoke(until: WallTime(milliseconds: .max)) == .refuseEnd)
        // A revocation of a grant that is over needs no row.
        #expect(try bench.revoke(until: noon) == .confirm)
        let grant = try makeRequest().value.grant.value
        #expect(try !bench.store.view.isRevoked(grant))
        #expect(try bench.revoke(until: end) == .confirm)
        #expect(try bench.store.view.isRevoked(grant))
    }

    @Test func registrationThatNobodyRenewsEnds() throws {
        var bench = Bench()
        let lifetime = Int(SharingPolicy().registrationLifetime.components.seconds)
        try bench.register()
        _ = try bench.look(at: after(lifetime - 1))
        #expect(try bench.store.view.registration(of: identity(3)) != nil)
        _ = try bench.look(at: after(lifetime))
        #expect(try bench.store.view.registration(of: identity(3)) == nil)
        // A repeated registration renews nothing; an answer does.
        try bench.register()
        _ = try bench.ask()
        _ = try bench.answer()
        _ = try bench.look(at: after(lifetime - 1))
        #expect(try bench.store.view.registration(of: identity(3)) != nil)
    }

    // MARK: Answers

    @Test func answerIsKeptAndBringsTheOthers() throws {
        var bench = Bench()
        try bench.register()
        for id in UInt8(2)...4 { _ = try bench.ask(id) }
        let pending = try [2, 4].map { try makeRequest($0).signed }
        #expect(try bench.answer(3) == .deliver(.answered, pending: pending, isNew: true))
        #expect(try bench.record(3)?.answer == [7])
        // A device that is still working on it learns that its answer is no longer needed.
        #expect(try bench.report(.locating, of: 3) == .over(.answered))
        // A second answer is too late; its sender receives the request's state.
        #expect(try bench.answer(3, [8]) == .deliver(.answered, pending: pending, isNew: false))
        #expect(try bench.record(3)?.answer == [7])
    }

    @Test func strangersAnswerAndReportNothing() throws {
        var bench = Bench()
        try bench.register()
        _ = try bench.ask()
        #expect(try bench.answer(by: 9) == .unknown)
        #expect(try bench.answer(8) == .unknown)
        #expect(try bench.report(.locating, by: 9) == .unknown)
        #expect(try bench.report(.locating, of: 8) == .unknown)
        #expect(try bench.record()?.life.history.map(\.kind) == [.accepted])
        #expect(try bench.report(.woken) == .confirm)
        #expect(try bench.record()?.life.history.map(\.kind) == [.accepted, .woken])
        let permit = ReadPermit(request: try self.id(2), requester: try identity(4))
        let other = ReadPermit(request: try self.id(2), requester: try identity(3))
        for (value, mayRead) in [(permit, true), (other, false)] {
            let verified = Verified(Signed(value: value, signature: []))
            let watched = try bench.server.watched(.states, verified, bench.store.view, now: noon)
            #expect((watched != nil) == mayRead)
        }
    }

    // MARK: Pushes

    @Test func pushIsSentToTheDeviceAtOnceAndUntilTheExpiry() throws {
        var bench = Bench()
        try bench.register()
        _ = try bench.ask()
        guard case .send(let push) = try bench.server.pushDue(self.id(2), bench.store.view) else {
            throw FixtureError()
        }
        #expect(push.token.bytes == [1] && push.topic == "a" && push.priority == .immediate)
        #expect(push.expiration == .until(after(120).seconds))
        #expect(push.request == (try makeRequest().signed))
        _ = try bench.decide { try $0.pushEnded(try self.id(2), token: push.token, nil, $1, now: noon) }
        #expect(try bench.record()?.life.history.map(\.kind) == [.accepted, .pushed])
        #expect(try bench.server.pushDue(self.id(2), bench.store.view) == .drop)
        #expect(try bench.server.pushDue(self.id(9), bench.store.view) == .drop)
    }

    /// Goal: a token that the push service rejected as gone gets no more pushes; one that was registered since then
    /// does.
    @Test(arguments: [[1], [2]] as [[UInt8]]) func unregisteredTokenIsPaused(current: [UInt8]) throws {
        var bench = Bench()
        try bench.register([1])
        _ = try bench.ask()
        let token = try #require(DeviceToken(bytes: [1]))
        try bench.register(current, at: after(1))
        _ = try bench.decide { try $0.pushEnded(try self.id(2), token: token, .unregistered, $1, now: noon) }
        #expect(try bench.record()?.life.state == .unreachable)
        #expect(try bench.store.view.registration(of: identity(3))?.token == (current == [1] ? [] : [2]))
    }

    /// Goal: a push service that rejects a token for another reason does not remove the device: the next request is
    /// pushed, too.
    @Test func refusedTokenStays() throws {
        var bench = Bench()
        try bench.register([1])
        _ = try bench.ask()
        let token = try #require(DeviceToken(bytes: [1]))
        _ = try bench.decide {
            try $0.pushEnded(try self.id(2), token: token, .tokenRefused(.badDeviceToken), $1, now: noon)
        }
        let record = try bench.record()
        #expect(record?.life.state == .unreachable && record?.life.history.last?.reason.contains("paused") == false)
        #expect(record?.life.history.last?.reason.contains("BadDeviceToken") == true)
        #expect(try bench.store.view.registration(of: identity(3))?.token == [1])
    }

    @Test func deviceThatPausedMeanwhileGetsNoPush() throws {
        var bench = Bench()
        try bench.register()
        _ = try bench.ask()
        try bench.register([], at: after(1))
        #expect(try bench.server.pushDue(self.id(2), bench.store.view) == .drop)
        let record = try bench.record()
        #expect(record?.life.state == .unreachable && record?.life.history.last?.reason.contains("paused") == true)
    }

    // MARK: Time

    @Test func aLookBringsWhatIsDuePastItsDeadlineThenPrunes() throws {
        var bench = Bench()
        try bench.register()
        _ = try bench.ask()
        let ended = try bench.look(at: after(30))
        #expect(try bench.record()?.life.state == .unreachable)
        #expect(ended.count { if case .announce = $0 { true } else { false } } == 1)
        _ = try bench.look(at: after(119))
        #expect(try bench.record() != nil)
        _ = try bench.look(at: after(120))
        #expect(try bench.record() == nil)
    }
}
