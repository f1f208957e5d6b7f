internal import SystemSimulator
internal import Testing

/// Goal: in the whole system, no rule is broken with many seeds, whatever fails.
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
        // A world in which no request is answered breaks few rules.
        #expect(answered > 0)
    }

    /// A small world for each write of each machine, which dies at that write: before the data is on disk, and after.
    @Test func noRuleIsBrokenWhereverAMachineDies() {
        let worlds = Scenario.fleet(devices: 2, minutes: 10).dyingAtEveryWrite()
        #expect(worlds.count > 100)
        for (number, world) in worlds.enumerated() {
            let run = SimulatedRun(world)
            if let violation = run.violation { Issue.record("world \(number): \(violation.instant) \(violation.what)") }
        }
    }
}
