internal import SystemSimulator
internal import Testing

/// The whole system under many seeds: whatever goes wrong, no rule is broken.
struct SeedTests {
    private static let perTest = 20

    /// 240 seeds, some at a time, so that they share the processors.
    @Test(arguments: stride(from: 1, through: 240, by: Self.perTest).map { $0 })
    func noRuleIsBroken(first: Int) {
        var answered = 0
        for seed in first..<first + Self.perTest {
            let run = SimulatedRun(Scenario(seed: UInt64(seed)))
            answered += run.answered
            guard let violation = run.violation else { continue }
            Issue.record(
                "\(violation.instant) \(violation.what); repeat it: simulate --first \(seed) --seeds 1 --trace"
            )
        }
        // A world in which nobody is ever answered breaks few rules.
        #expect(answered > 0)
    }

    /// One small world once for each write of each machine, which dies at it: before the write is on disk, and after.
    @Test func noRuleIsBrokenWhereverAMachineDies() {
        let worlds = Scenario.fleet(devices: 2, minutes: 10).dyingAtEveryWrite()
        #expect(worlds.count > 100)
        for (number, world) in worlds.enumerated() {
            let run = SimulatedRun(world)
            if let violation = run.violation { Issue.record("world \(number): \(violation.instant) \(violation.what)") }
        }
    }
}
