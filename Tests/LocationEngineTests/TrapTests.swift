internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Tests for invalid calls, which none of our hosts makes.
///
/// Each ends the process with a message that names the value and its unit.
@Suite struct TrapTests {
    @Test func anInstantBeforeTheStart() async {
        await #expect(processExitsWith: .failure) { _ = EngineInstant(sinceStart: .seconds(-1)) }
        await #expect(processExitsWith: .failure) {
            _ = EngineInstant(sinceStart: .seconds(1)).advanced(by: .seconds(-2))
        }
    }

    @Test func aCircleOrAPeriodOfStillnessOfNothing() async {
        await #expect(processExitsWith: .failure) { _ = StationaryPause.Rule(radius: 0, period: .seconds(1)) }
        await #expect(processExitsWith: .failure) { _ = StationaryPause.Rule(radius: 1, period: .zero) }
    }

    @Test func aBudgetWithoutRoomOrRefill() async {
        await #expect(processExitsWith: .failure) {
            var policy = Policy()
            policy.pushBudgetCapacity = 0
            _ = PushBudget(policy: policy, now: EngineInstant(sinceStart: .zero))
        }
        await #expect(processExitsWith: .failure) {
            var policy = Policy()
            policy.pushBudgetRefill = .zero
            _ = PushBudget(policy: policy, now: EngineInstant(sinceStart: .zero))
        }
    }

    @Test func anUpdateWithNeitherPositionNorReason() async {
        await #expect(processExitsWith: .failure) { _ = Update.unavailable([]) }
    }

    @Test func aDeviceThatLooksForPositionsWithoutASource() async {
        await #expect(processExitsWith: .failure) { _ = SourceArbiter(coarse: [], policy: Policy()) }
    }
}
