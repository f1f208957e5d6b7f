internal import Foundation
internal import Testing

@testable internal import attack

/// The short form of every attack; `make attack` runs the whole one.
@Suite(.serialized) struct AttackTests {
    /// Goal: under each attack every honest action ends, and afterwards all is as before.
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

    @Test func everyAttackHasANameOfItsOwn() {
        #expect(Set(AttackList.names).count == AttackList.all.count)
    }
}
