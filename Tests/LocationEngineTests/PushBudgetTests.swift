internal import LocationEngine
internal import Testing

@Suite struct PushBudgetTests {
    private func instant(_ seconds: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    @Test func theLastPushClosesAndTenBackReopen() throws {
        var budget = PushBudget(policy: Policy(), now: self.instant(0))
        for _ in 0..<119 { #expect(budget.pushReceived(now: self.instant(10)) == .accept) }
        #expect(budget.pushReceived(now: self.instant(10)) == .acceptAndClose)
        #expect(budget.pushReceived(now: self.instant(10)) == .refuse)
        let deadline = try #require(budget.deadline)
        #expect(deadline == self.instant(10 + 3600))
        #expect(budget.deadlineReached(now: self.instant(10 + 3599)) == .ignore)
        #expect(budget.deadlineReached(now: deadline) == .reopen)
        #expect(budget.pushReceived(now: deadline) == .accept)
    }

    /// Goal: no 24 h ever hold more than 360 accepted pushes.
    ///
    /// Method: a month of pushes at random paces, seeded.
    @Test(arguments: 0..<8)
    func noDayExceedsTheAllotment(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var budget = PushBudget(policy: Policy(), now: self.instant(0))
        var accepted: [Int] = []
        var now = 0
        while now < 30 * 86400 {
            now += Int.random(in: 1...(seed % 2 == 0 ? 120 : 900), using: &generator)
            _ = budget.deadlineReached(now: self.instant(now))
            if budget.pushReceived(now: self.instant(now)) != .refuse { accepted.append(now) }
        }
        var first = 0
        for (index, time) in accepted.enumerated() {
            while accepted[first] <= time - 86400 { first += 1 }
            #expect(index - first + 1 <= 360)
        }
        // Never starved for ever: what comes back is used.
        #expect(accepted.count > 30 * 200 || seed % 2 == 1)
        #expect(accepted.count > 1000)
    }

    @Test func aClockThatStandsStillGivesNothingBack() {
        var budget = PushBudget(policy: Policy(), now: self.instant(100))
        for _ in 0..<120 { _ = budget.pushReceived(now: self.instant(50)) }
        #expect(budget.pushReceived(now: self.instant(50)) == .refuse)
    }
}

/// SplitMix64: the same seed draws the same everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var bits = self.state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
