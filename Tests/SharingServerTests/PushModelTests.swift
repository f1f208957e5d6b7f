internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsTestKit

/// Goal: the push service of these tests is at least as strict as the real one.
struct PushModelTests {
    @Test(arguments: PushSenderRule.allCases) func theModelKeepsTheRules(_ rule: PushSenderRule) async throws {
        let model = PushModel()
        try await rule.check(model) { reply in
            switch reply {
            case .accept: model.set(.accept)
            case .reject(let reason): model.set(.reject(PushRejection(reason)))
            case .hangUp: model.set(.reject(PushRejection(nil)))
            }
        }
    }
}
