internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the occurrences of a schedule, and for the rules about its terms.
struct ScheduleRuleTests {
    private func request(
        every minutes: UInt16 = 15,
        until end: WallTime = after(7200),
        interval: UInt32 = 0,
        asksPerson: Bool = false
    ) throws -> Request {
        try makeRequest(
            interval: interval,
            until: after(40 * 86_400),
            asksPerson: asksPerson,
            repetition: Repetition(everyMinutes: minutes, until: end)
        ).value
    }

    private func refusal(_ request: Request, at time: WallTime = noon) -> Refusal? {
        request.refusal(isRevoked: false, policy: SharingPolicy(), now: time)
    }

    @Test func eachOccurrenceHasItsOwnNameAndTimes() throws {
        let first = try self.request()
        let occurrence = first.occurrence(3)
        #expect(occurrence.id != first.id && occurrence.id.low == first.id.low + 3 && occurrence.firstID == first.id)
        #expect(occurrence.issued == after(2700) && occurrence.expires == after(3300))
        #expect(occurrence.occurrence(0) == first)
        // A request without a schedule has one occurrence.
        let single = try makeRequest().value
        #expect(
            single.occurrence(3) == single && single.scheduleEnd == nil && single.lastOccurrence(by: after(9999)) == nil
        )
    }

    @Test(
        arguments: [
            (0, nil), (899, nil), (900, 1), (1799, 1), (1800, 2), (6300, 7), (7199, 7), (7200, 7), (999_999, 7),
        ] as [(Int, UInt16?)]
    )
    func theLastOccurrenceIsThatOfTheTime(seconds: Int, occurrence: UInt16?) throws {
        #expect(try self.request().lastOccurrence(by: after(seconds)) == occurrence)
    }

    @Test func anOccurrenceHoldsInItsTimeAlone() throws {
        let occurrence = try self.request().occurrence(2)
        #expect(self.refusal(occurrence, at: after(1800)) == nil)
        #expect(self.refusal(occurrence, at: after(1800 - 121)) == .issuedInTheFuture)
        #expect(self.refusal(occurrence, at: after(2399)) == nil)
        #expect(self.refusal(occurrence, at: after(2400)) == .requestExpired)
        // The schedule has no occurrence at the end time, even if a server says so.
        #expect(self.refusal(try self.request().occurrence(8), at: after(7200)) == .repetitionOver)
        #expect(try self.request().beginning(ofOccurrence: 7) == after(6300))
        #expect(try self.request().beginning(ofOccurrence: 8) == nil)
    }

    @Test func aScheduleIsNeitherTooFastNorTooLong() throws {
        #expect(self.refusal(try self.request(every: 15)) == nil)
        #expect(self.refusal(try self.request(every: 14)) == .repetitionTooOften)
        #expect(self.refusal(try self.request(every: 15, interval: 900)) == nil)
        #expect(self.refusal(try self.request(every: 15, interval: 901)) == .repetitionTooOften)
        let longest = noon.advanced(by: Repetition.lifetimeMax)
        #expect(self.refusal(try self.request(until: longest)) == nil)
        #expect(self.refusal(try self.request(until: longest.advanced(by: .seconds(1)))) == .repetitionTooLong)
        #expect(self.refusal(try self.request(asksPerson: true)) == .repetitionAsksPerson)
    }

    /// Goal: half of a device's budget is reserved for people's requests.
    ///
    /// When the other half is spent, occurrences wait, and a grant gets a quarter of its burst.
    @Test func occurrencesAreLeftOutFirstAndWhoAskedOftenNext() throws {
        let interval = SharingPolicy().pushPace.interval
        func decide(_ request: Verified<Request>, spent: Int, used: Int = 0, at now: WallTime) -> RequestLife.OnVerified
        {
            let known = precedents(
                paidUntil: now.advanced(by: SharingPolicy().requestPace.interval * used),
                pushesPaidUntil: now.advanced(by: interval * spent)
            )
            return RequestLife.requestVerified(request, precedents: known, policy: SharingPolicy(), now: now)
        }
        func isAccepted(_ decision: RequestLife.OnVerified) -> Bool {
            if case .accept = decision { true } else { false }
        }
        let occurrence = Verified(Signed(value: try self.request().occurrence(1), signature: []))
        #expect(isAccepted(decide(occurrence, spent: 59, at: after(900))))
        #expect(!isAccepted(decide(occurrence, spent: 60, at: after(900))))
        let person = try makeRequest()
        #expect(isAccepted(decide(person, spent: 59, used: 29, at: noon)))
        #expect(isAccepted(decide(person, spent: 60, used: 7, at: noon)))
        #expect(!isAccepted(decide(person, spent: 60, used: 8, at: noon)))
        #expect(isAccepted(decide(person, spent: 119, at: noon)))
        // With the time at which a push is available again.
        #expect(decide(person, spent: 120, at: noon) == .tooSoon(until: noon.advanced(by: interval)))
        // A grant's own interval is not faster than the others' once the rest is shared.
        let fast = try makeRequest(interval: 60)
        guard case .accept(_, let payment, _) = decide(fast, spent: 60, at: noon) else { throw FixtureError() }
        #expect(payment.grant == noon.advanced(by: SharingPolicy().requestPace.interval))
        #expect(payment.pushes == noon.advanced(by: interval * 61))
    }

    @Test func aPausedDeviceSpendsNothing() throws {
        let decision = RequestLife.requestVerified(
            try makeRequest(),
            precedents: precedents(device: .paused),
            policy: SharingPolicy(),
            now: noon
        )
        guard case .accept(_, let payment, _) = decision else { throw FixtureError() }
        #expect(payment.pushes == nil)
    }
}
