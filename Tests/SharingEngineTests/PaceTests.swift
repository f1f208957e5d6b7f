internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

struct PaceTests {
    /// Every use at once, until it is too soon.
    private func uses(_ pace: Pace, paidUntil: WallTime? = nil, slack: Duration = .zero, at now: WallTime = noon) -> Int
    {
        var (paidUntil, count) = (paidUntil, 0)
        while case .pass(let next) = pace.use(paidUntil: paidUntil, slack: slack, now: now), count < 1000 {
            (paidUntil, count) = (next, count + 1)
        }
        return count
    }

    @Test func aRestedOneMaySoManyTimesAtOnce() {
        #expect(self.uses(Pace(interval: .seconds(10), burst: 3)) == 3)
        #expect(self.uses(Pace(interval: .seconds(10))) == 1)
        // Two of three intervals are over.
        #expect(self.uses(Pace(interval: .seconds(10), burst: 3), paidUntil: after(10)) == 2)
    }

    @Test func inTheLongRunTheIntervalHolds() {
        let pace = Pace(interval: .seconds(60))
        var (paidUntil, count) = (WallTime?.none, 0)
        for second in 0..<6000 {
            let use = pace.use(paidUntil: paidUntil, slack: .seconds(30), now: after(second))
            if case .pass(let next) = use { (paidUntil, count) = (next, count + 1) }
        }
        // The tolerance applies once.
        #expect(count == 101)
    }

    @Test func aDateFromAClockThatWasAheadSaysNothing() {
        let pace = Pace(interval: .seconds(10), burst: 3)
        #expect(pace.use(paidUntil: after(30), now: noon) == .tooSoon(until: after(10)))
        #expect(pace.use(paidUntil: after(31), now: noon) == .pass(paidUntil: after(10)))
    }

    @Test func aPaceOfNothingHoldsNobodyUp() {
        #expect(self.uses(Pace(interval: .zero)) == 1000)
    }

    @Test func theEndsOfTheCalendarDoNotTrap() {
        for now in [WallTime(milliseconds: .min), noon, WallTime(milliseconds: .max)] {
            for paidUntil in [WallTime(milliseconds: .min), noon, WallTime(milliseconds: .max)] {
                _ = Pace(interval: .seconds(Int64(UInt32.max)), burst: 30).use(paidUntil: paidUntil, now: now)
            }
        }
    }
}
