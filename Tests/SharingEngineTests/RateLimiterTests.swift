internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the number of signed messages from one address that the store keeps.
struct RateLimiterTests {
    private func admitted(
        _ rateLimiter: inout RateLimiter,
        isKnown: Bool = false,
        from last: UInt8 = 1,
        at second: Int = 0
    ) -> Int {
        let now = EngineInstant(sinceStart: .seconds(second))
        var count = 0
        let address = AddressBlock([192, 0, 2, last])
        while rateLimiter.registrationReceived(isKnown: isKnown, from: address, now: now) == .admit {
            count += 1
            if count > 1000 { break }
        }
        return count
    }

    @Test func strangersCountOnTheirAddress() {
        var rateLimiter = RateLimiter(policy: SharingPolicy())
        #expect(self.admitted(&rateLimiter) == 64)
        #expect(self.admitted(&rateLimiter, at: 9) == 0)
        #expect(self.admitted(&rateLimiter, at: 10) == 1)
        // No other address is affected, and no known sharer at the same address.
        #expect(self.admitted(&rateLimiter, from: 2) == 64)
        #expect(self.admitted(&rateLimiter, isKnown: true) == 256)
        #expect(self.admitted(&rateLimiter, isKnown: true, at: 11) == 11)
    }

    @Test func whoComesTooSoonLearnsWhenToCome() {
        var rateLimiter = RateLimiter(policy: SharingPolicy())
        _ = self.admitted(&rateLimiter)
        let address = AddressBlock([192, 0, 2, 1])
        let now = EngineInstant(sinceStart: .zero)
        #expect(
            rateLimiter.registrationReceived(isKnown: false, from: address, now: now) == .tooSoon(after: .seconds(10))
        )
    }

    /// Goal: a known person can revoke at any rate; an unknown identity only at the rate of strangers.
    @Test func revocationsOfSharersWaitForNothing() {
        var rateLimiter = RateLimiter(policy: SharingPolicy())
        _ = (self.admitted(&rateLimiter), self.admitted(&rateLimiter, isKnown: true))
        let (address, now) = (AddressBlock([192, 0, 2, 1]), EngineInstant(sinceStart: .zero))
        for _ in 0..<1000 {
            #expect(rateLimiter.revocationReceived(isKnown: true, from: address, now: now) == .admit)
        }
        #expect(
            rateLimiter.revocationReceived(isKnown: false, from: address, now: now) == .tooSoon(after: .seconds(10))
        )
    }

    /// Goal: however full strangers make the store, consent can be withdrawn.
    @Test func roomForRevocationsIsLeftLast() {
        let kinds: [StoreRoom.Kind] = [
            .newRegistration, .link, .enrolment, .schedule, .request, .registration, .revocation,
        ]
        #expect(kinds.map(\.percentMax) == kinds.map(\.percentMax).sorted())
        #expect(Set(kinds) == Set(StoreRoom.Kind.allCases))
        for kind in kinds {
            #expect(StoreRoom(used: kind.percentMax * 10 - 1, max: 1000).has(roomFor: kind))
            #expect(!StoreRoom(used: kind.percentMax * 10, max: 1000).has(roomFor: kind))
        }
    }

    /// Goal: guessing a link's password is slowed and reveals nothing; the right password is not counted.
    @Test func missedLinksCountOnTheirAddress() {
        var rateLimiter = RateLimiter(policy: SharingPolicy())
        let (address, other) = (AddressBlock([192, 0, 2, 1]), AddressBlock([192, 0, 2, 2]))
        let now = EngineInstant(sinceStart: .zero)
        for _ in 0..<100 {
            #expect(rateLimiter.linkWanted(from: address, now: now) == .admit)
            rateLimiter.linkFound(from: address)
        }
        for _ in 0..<32 { #expect(rateLimiter.linkWanted(from: address, now: now) == .admit) }
        #expect(rateLimiter.linkWanted(from: address, now: now) == .tooSoon(after: .seconds(30)))
        #expect(rateLimiter.linkWanted(from: other, now: now) == .admit)
        let later = EngineInstant(sinceStart: .seconds(30))
        #expect(rateLimiter.linkWanted(from: address, now: later) == .admit)
        #expect(rateLimiter.linkWanted(from: address, now: later) == .tooSoon(after: .seconds(30)))
    }
}
