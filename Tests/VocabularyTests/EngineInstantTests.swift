internal import Testing

@testable internal import WhereaboutsVocabulary

@Suite struct EngineInstantTests {
    @Test func advancingByTheWayThereArrives() {
        let (one, other) = (EngineInstant(sinceStart: .seconds(5)), EngineInstant(sinceStart: .milliseconds(1500)))
        #expect(one.advanced(by: one.duration(to: other)) == other)
        #expect(other < one && one.duration(to: other) == .milliseconds(-3500))
    }

    @Test func nothingIsBeforeTheStart() async {
        await #expect(processExitsWith: .failure) { _ = EngineInstant(sinceStart: .seconds(-1)) }
    }
}
