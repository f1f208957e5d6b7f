internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The device's own word on how often its owner's grants are used, whatever a server says.
struct GrantUsesTests {
    /// A request that is the only one of its number under a grant of that number, unless told otherwise.
    private func request(
        _ number: Int,
        under grant: Int = 1,
        interval: UInt32 = 3600,
        usesMax: UInt16? = nil
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
            issued: like.issued,
            expires: like.expires
        )
    }

    @Test func intervalIsTheDevicesToo() throws {
        var uses = GrantUses()
        func used(_ number: Int, at seconds: Int) throws -> GrantUses.OnUsed {
            uses.used(by: try self.request(number), policy: SharingPolicy(), now: after(seconds))
        }
        #expect(try used(1, at: 0) == .record)
        #expect(try used(2, at: 2) == .tooSoon)
        #expect(try used(2, at: 3569) == .tooSoon)
        // A request may have been under way for as long as the device had to answer the one before; the next one pays for it.
        #expect(try used(2, at: 3570) == .record)
        #expect(try used(3, at: 7169) == .tooSoon)
        #expect(try used(3, at: 7170) == .record)
        #expect(uses.entries.map(\.paidUntil) == [after(10_800)])
    }

    /// Goal: a request whose extension died before it answered is no second use when it is handed over again.
    @Test func requestUsesItsGrantOnce() throws {
        var uses = GrantUses()
        #expect(uses.used(by: try self.request(1), policy: SharingPolicy(), now: noon) == .record)
        let before = uses
        #expect(uses.used(by: try self.request(1), policy: SharingPolicy(), now: after(20)) == .answer)
        #expect(uses == before)
        #expect(uses.used(by: try self.request(2), policy: SharingPolicy(), now: after(20)) == .tooSoon)
    }

    @Test func grantWithoutAnIntervalIsNotKept() throws {
        var uses = GrantUses()
        for number in 0..<100 {
            let request = try self.request(number, interval: 0)
            #expect(uses.used(by: request, policy: SharingPolicy(), now: noon) == .answer)
        }
        #expect(uses.entries.isEmpty)
    }

    /// Goal: a grant for three requests is over after three, however long it lasts, and whatever clock the device has.
    @Test func usesAreCountedUntilTheGrantEnds() throws {
        var uses = GrantUses()
        func used(_ number: Int, at seconds: Int) throws -> GrantUses.OnUsed {
            let request = try self.request(number, interval: 0, usesMax: 3)
            return uses.used(by: request, policy: SharingPolicy(), now: after(seconds))
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
        #expect(uses.used(by: try self.request(5, under: 2), policy: SharingPolicy(), now: after(86_400)) == .record)
        #expect(uses.entries.map(\.grant) == [GrantID(high: 0, low: 2)])
    }

    @Test func requestThatComesTooSoonUsesNothing() throws {
        var uses = GrantUses()
        let grant = try self.request(1, usesMax: 2).grant.value
        #expect(uses.used(by: try self.request(1, usesMax: 2), policy: SharingPolicy(), now: noon) == .record)
        #expect(uses.used(by: try self.request(2, usesMax: 2), policy: SharingPolicy(), now: after(9)) == .tooSoon)
        #expect(uses.left(of: grant) == 1)
        #expect(uses.used(by: try self.request(3, usesMax: 2), policy: SharingPolicy(), now: after(3600)) == .record)
        #expect(uses.used(by: try self.request(4, usesMax: 2), policy: SharingPolicy(), now: after(7200)) == .usedUp)
    }

    @Test func theirNumberIsBounded() throws {
        var uses = GrantUses()
        for number in 0..<GrantUses.countMax {
            #expect(uses.used(by: try self.request(1, under: number), policy: SharingPolicy(), now: noon) == .record)
        }
        let more = try self.request(1, under: GrantUses.countMax)
        #expect(uses.used(by: more, policy: SharingPolicy(), now: after(3599)) == .full)
        #expect(uses.used(by: more, policy: SharingPolicy(), now: after(3600)) == .record)
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

    /// Goal: a malicious server and a requester get no second answer within the interval, and learn that they were refused.
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
        // A refusal costs the grant nothing.
        #expect(try received(3, at: after(3580)).refusal == nil)
    }
}
