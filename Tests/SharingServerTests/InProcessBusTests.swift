internal import SharingServer
internal import Testing
internal import Vocabulary
internal import WhereaboutsTestKit

struct InProcessBusTests {
    @Test(.timeLimit(.minutes(1)), arguments: BusRule.allCases) func itKeepsTheRules(_ rule: BusRule) async throws {
        try await rule.check(InProcessBus())
    }
}
