internal import Testing
internal import WhereaboutsSharingServer
internal import WhereaboutsTestKit
internal import WhereaboutsVocabulary

struct InProcessBusTests {
    @Test(.timeLimit(.minutes(1)), arguments: BusRule.allCases) func itKeepsTheRules(_ rule: BusRule) async throws {
        try await rule.check(InProcessBus())
    }
}
