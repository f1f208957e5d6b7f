internal import Foundation
internal import Testing

@testable internal import attack

/// Runs every attack in its short form; `make attack` runs the full form.
@Suite(.serialized) struct AttackTests {
    /// Goal: during each attack, every legitimate action completes, and afterwards the system is as before.
    @Test(.timeLimit(.minutes(2)), arguments: AttackList.names) func theHonestPartyIsServed(
        under name: String
    ) async throws {
        let attack = try #require(AttackList.named(name))
        if let obstacle = attack.obstacle { try Test.cancel("skipped: \(obstacle)") }
        let trial = try await Trial.run(attack) { .short() }
        #expect(trial.quiet.failures.isEmpty && !trial.quiet.times.isEmpty, "\(trial)")
        #expect(trial.under.failures.isEmpty && !trial.under.times.isEmpty, "\(trial)")
        #expect(trial.after.failures.isEmpty && !trial.after.times.isEmpty, "\(trial)")
        #expect(trial.memory.most <= 2 * trial.memory.quiet, "\(trial)")
    }

    /// Goal: the test detects a client that waits five times as long, if the machine's delays are shorter than that.
    @Test(arguments: [
        (3, 15, 15, []), (3, 21, 21, ["p50 under it is more than 20.0 ms"]), (3, 4, 100, []),
        (3, 4, 101, ["p99 under it is more than 100.0 ms"]), (40, 200, 200, []),
        (40, 201, 201, ["p50 under it is more than 200.0 ms", "p99 under it is more than 200.0 ms"]),
    ])
    func anHonestPartyThatWaitsIsSeen(_ quiet: Int, _ median: Int, _ slowest: Int, _ complaints: [String]) {
        func figures(_ median: Int, _ slowest: Int) -> Figures {
            var figures = Figures()
            for number in 0..<100 { figures.succeeded(after: .milliseconds(number < 90 ? median : slowest)) }
            return figures
        }
        let calm = figures(quiet, quiet)
        let trial = Trial(
            name: "some",
            attempts: "",
            quiet: calm,
            under: figures(median, slowest),
            after: calm,
            memory: (quiet: 1, most: 1, after: 1)
        )
        #expect(trial.complaints == complaints)
    }

    @Test func everyAttackHasANameOfItsOwn() {
        #expect(Set(AttackList.names).count == AttackList.all.count)
    }
}
