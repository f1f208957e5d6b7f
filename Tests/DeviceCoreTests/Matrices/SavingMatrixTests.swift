internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsDeviceCore

/// Tests for whether decisions are on disk: every state with every input.
@Suite struct SavingMatrixTests {
    private enum Start: CaseIterable { case saved, unsaved, retrying }

    /// The write failed at second 0, and is tried again at second 2.
    private static func saving(_ start: Start) -> Saving {
        var saving = Saving()
        if start != .saved { saving.failed("full", now: second(0)) }
        if start == .retrying { _ = saving.deadlineReached(now: second(2)) }
        return saving
    }

    @Test(arguments: Start.allCases) private func theStarts(_ start: Start) {
        let saving = Self.saving(start)
        switch start {
        case .saved: #expect(saving.state == .saved && saving.reason == nil && saving.deadline == nil)
        case .unsaved:
            #expect(saving.state == .unsaved(reason: "full", until: second(2)) && saving.deadline == second(2))
        case .retrying: #expect(saving.state == .retrying(reason: "full") && saving.deadline == nil)
        }
        #expect((saving.reason == nil) == (start == .saved))
    }

    @Test(arguments: Start.allCases) private func saved(_ start: Start) {
        var saving = Self.saving(start)
        saving.saved()
        #expect(saving == Saving())
    }

    @Test(arguments: Start.allCases) private func failed(_ start: Start) {
        var saving = Self.saving(start)
        saving.failed("gone", now: second(10))
        switch start {
        case .saved, .retrying: #expect(saving.state == .unsaved(reason: "gone", until: second(12)))
        // A failure in the meantime does not delay the next attempt.
        case .unsaved: #expect(saving.state == .unsaved(reason: "gone", until: second(2)))
        }
    }

    @Test(arguments: Start.allCases) private func anEarlyDeadline(_ start: Start) {
        var saving = Self.saving(start)
        let before = saving
        let isDue = saving.deadlineReached(now: second(1))
        #expect(!isDue && saving == before)
    }

    @Test(arguments: Start.allCases) private func aDeadlineOnTimeAndLate(_ start: Start) {
        for time in [2, 1000] {
            var saving = Self.saving(start)
            let before = saving
            let isDue = saving.deadlineReached(now: second(time))
            switch start {
            case .saved, .retrying: #expect(!isDue && saving == before)
            case .unsaved: #expect(isDue && saving.state == .retrying(reason: "full"))
            }
        }
    }
}
