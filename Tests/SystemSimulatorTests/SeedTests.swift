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
}
