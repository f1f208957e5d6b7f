internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the device's count of a grant's uses, which does not depend on the server.
struct GrantUsesTests {
    /// A request with a unique number under the grant with that number, unless the test says otherwise.
    private func request(
        _ number: Int,
        under grant: Int = 1,
        interval: UInt32 = 3600,
        usesMax: UInt16? = nil,
        issued: WallTime = noon
    ) throws -> Request {
        let like = try makeRequest().value
        let terms = Grant(
            id: GrantID(high: 0, low: UInt64(grant)),
            sharer: try identity(3),
            requester: try identity(4),
            precision: .full,
            notBefore: noon,
            notAfter: after(86_400),
            intervalMin: interval,
            usesMax: usesMax
        )
        return Request(
            id: RequestID(high: 0, low: UInt64(number)),
            grant: Signed(value: terms, signature: []),
            precision: like.precision,
            suite: like.suite,
            publicKey: [],
            issued: issued,
            expires: issued.advanced(by: .seconds(120))
        )
    }

    private func use(_ uses: inout GrantUses, _ request: Request, _ now: WallTime) throws -> GrantUses.OnUsed {
        uses.used(by: request, try digest(of: request), policy: SharingPolicy(), now: now)
    }

    @Test func intervalIsTheDevicesToo() throws {
        var uses = GrantUses()
        func used(_ number: Int, at seconds: Int) throws -> GrantUses.OnUsed {
            try self.use(&uses, self.request(number), after(seconds))
        }
        #expect(try used(1, at: 0) == .record)
        #expect(try used(2, at: 2) == .tooSoon)
        #expect(try used(2, at: 3569) == .tooSoon)
        // A request may have been in progress for as long as the device had for the previous answer; the next one
        // counts for it.
        #expect(try used(2, at: 3570) == .record)
        #expect(try used(3, at: 7169) == .tooSoon)
        #expect(try used(3, at: 7170) == .record)
        #expect(uses.entries.map(\.paidUntil) == [after(10_800)])
    }

    /// Goal: a request whose extension died before it answered does not count twice when it is delivered again.
    @Test func requestUsesItsGrantOnce() throws {
        var uses = GrantUses()
        #expect(try self.use(&uses, self.request(1), noon) == .record)
        let before = uses
        #expect(try self.use(&uses, self.request(1), after(20)) == .answer)
        #expect(uses == before)
        #expect(try self.use(&uses, self.request(2), after(20)) == .tooSoon)
    }

    @Test func grantWithoutAnIntervalIsNotKept() throws {
        var uses = GrantUses()
        for number in 0..<100 {
            let request = try self.request(number, interval: 0)
            #expect(try self.use(&uses, request, noon) == .answer)
        }
        #expect(uses.entries.isEmpty)
    }

    /// Goal: a grant for three requests ends after three, however long it is valid, and whatever the device's clock
    /// shows.
    @Test func usesAreCountedUntilTheGrantEnds() throws {
        var uses = GrantUses()
        func used(_ number: Int, at seconds: Int) throws -> GrantUses.OnUsed {
            let request = try self.request(number, interval: 0, usesMax: 3)
            return try self.use(&uses, request, after(seconds))
        }
        let grant = try self.request(1, interval: 0, usesMax: 3).grant.value
        #expect(uses.left(of: grant) == 3)
        #expect(try used(1, at: 0) == .record)
        #expect(try used(1, at: 1) == .answer)
        #expect(try used(2, at: 1) == .record)
        #expect(try used(3, at: 80_000) == .record)
        #expect(try used(4, at: 80_001) == .usedUp)
        #expect(try used(4, at: -80_000) == .usedUp)
        #expect(uses.left(of: grant) == 0)
        // Another grant's uses make room once this one is over.
        #expect(try self.use(&uses, self.request(5, under: 2), after(86_400)) == .record)
        #expect(uses.entries.map(\.grant) == [GrantID(high: 0, low: 2)])
    }

    @Test func requestThatComesTooSoonUsesNothing() throws {
        var uses = GrantUses()
        let grant = try self.request(1, usesMax: 2).grant.value
        #expect(try self.use(&uses, self.request(1, usesMax: 2), noon) == .record)
        #expect(try self.use(&uses, self.request(2, usesMax: 2), after(9)) == .tooSoon)
        #expect(uses.left(of: grant) == 1)
        #expect(try self.use(&uses, self.request(3, usesMax: 2), after(3600)) == .record)
        #expect(try self.use(&uses, self.request(4, usesMax: 2), after(7200)) == .usedUp)
    }

    /// Goal: if a requester signs several requests with one ID, each counts as a use.
    ///
    /// Method: the later ones come after the device forgot the first answer, and after the interval.
    @Test(arguments: [0, 3600] as [UInt32]) func idThatComesBackIsAnotherUse(interval: UInt32) throws {
        var uses = GrantUses()
        func used(at seconds: Int) throws -> GrantUses.OnUsed {
            let request = try self.request(1, interval: interval, usesMax: 2, issued: after(seconds))
            return try self.use(&uses, request, after(seconds))
        }
        #expect(try used(at: 0) == .record)
        #expect(try used(at: 0) == .answer)
        if interval > 0 { #expect(try used(at: 721) == .tooSoon) }
        #expect(try used(at: 3600) == .record)
        #expect(try used(at: 7200) == .usedUp)
    }

    @Test func theirNumberIsBounded() throws {
        var uses = GrantUses()
        for number in 0..<GrantUses.countMax {
            #expect(try self.use(&uses, self.request(1, under: number), noon) == .record)
        }
        let more = try self.request(1, under: GrantUses.countMax)
        #expect(try self.use(&uses, more, after(3599)) == .full)
        #expect(try self.use(&uses, more, after(3600)) == .record)
        #expect(uses.entries.count == 1)
        #expect(GrantUses(restoring: uses.entries) == uses)
    }

    @Test func requestBeyondTheUsesIsRefused() throws {
        let records = ModelRecords()
        for (id, refusal) in [(1, nil), (2, Refusal.usedUp)] as [(UInt8, Refusal?)] {
            let decided = try Receipt.requestReceived(
                makeRequest(id, usesMax: 1),
                by: identity(3),
                records,
                policy: SharingPolicy(),
                now: noon
            )
            guard case .answer(let receipt) = decided else { throw FixtureError() }
            #expect(receipt.refusal == refusal)
        }
    }

    /// Goal: a malicious server and a requester get no second answer within the interval, and learn that the request
    /// was refused.
    @Test func requestThatComesTooSoonIsRefused() throws {
        let records = ModelRecords()
        func received(_ id: UInt8, at now: WallTime) throws -> Receipt {
            let request = try makeRequest(id, interval: 3600, issued: now, expires: now.advanced(by: .seconds(60)))
            let decided = try Receipt.requestReceived(
                request,
                by: identity(3),
                records,
                policy: SharingPolicy(),
                now: now
            )
            guard case .answer(let receipt) = decided else { throw FixtureError() }
            return receipt
        }
        #expect(try received(1, at: noon).refusal == nil)
        #expect(try received(2, at: after(2)).refusal == .tooSoon)
        // A refusal does not count as a use.
        #expect(try received(3, at: after(3580)).refusal == nil)
    }
}
