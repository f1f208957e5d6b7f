internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Tests for the schedule of short position checks: every state with every input.
@Suite struct LooksMatrixTests {
    private enum Start: CaseIterable { case idle, looking, resting }

    private static let patience = Duration.seconds(60)
    private static let pause = Duration.seconds(300)

    private static func at(_ seconds: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    private static func looks(_ start: Start) -> Looks {
        var looks = Looks(patience: Self.patience, pause: Self.pause)
        switch start {
        case .idle: break
        case .looking: looks.begin(now: Self.at(0))
        case .resting: looks.rest(until: Self.at(100))
        }
        return looks
    }

    @Test(arguments: Start.allCases) private func begin(_ start: Start) {
        var looks = Self.looks(start)
        looks.begin(now: Self.at(10))
        #expect(looks.state == .looking(until: Self.at(70)) && looks.needsReceiver)
    }

    @Test(arguments: Start.allCases) private func rest(_ start: Start) {
        var looks = Self.looks(start)
        looks.rest(until: Self.at(50))
        #expect(looks.state == .resting(until: Self.at(50)) && !looks.needsReceiver)
    }

    @Test(arguments: Start.allCases) private func end(_ start: Start) {
        var looks = Self.looks(start)
        looks.end()
        #expect(looks.state == .idle && looks.deadline == nil)
    }

    @Test(arguments: Start.allCases) private func anEarlyDeadline(_ start: Start) {
        var looks = Self.looks(start)
        let before = looks
        looks.deadlineReached(now: Self.at(59))
        #expect(looks == before)
    }

    @Test(arguments: Start.allCases) private func aLateDeadline(_ start: Start) {
        var looks = Self.looks(start)
        looks.deadlineReached(now: Self.at(1000))
        switch start {
        case .idle: #expect(looks.state == .idle)
        case .looking: #expect(looks.state == .resting(until: Self.at(1300)))
        case .resting: #expect(looks.state == .looking(until: Self.at(1060)))
        }
    }
}
