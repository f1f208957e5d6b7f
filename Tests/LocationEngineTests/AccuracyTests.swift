internal import Testing

@testable internal import WhereaboutsLocationEngine

@Suite struct AccuracyTests {
    /// Every state, reached by public calls alone.
    enum Start: CaseIterable {
        case full, reduced, asking, fullForNow

        var machine: AccuracyAuthorization {
            var machine = AccuracyAuthorization(precise: self == .full)
            switch self {
            case .full, .reduced: break
            case .asking: _ = machine.wanted(for: "Navigation")
            case .fullForNow:
                machine = Start.asking.machine
                _ = machine.answered(allow: true)
            }
            return machine
        }
    }

    @Test(arguments: Start.allCases)
    func onlyReducedAsks(_ start: Start) {
        var machine = start.machine
        let expected: AccuracyAuthorization.OnWanted =
            switch start {
            case .reduced: .ask
            case .asking: .wait
            case .full, .fullForNow: .ignore
            }
        #expect(machine.wanted(for: "Other") == expected)
    }

    @Test(arguments: Start.allCases, [false, true])
    func anAnswerCountsOnlyWhileAsked(_ start: Start, _ allow: Bool) {
        var machine = start.machine
        #expect(machine.answered(allow: allow) == (start == .asking))
        #expect(start != .asking || machine.isFull == allow)
    }

    @Test(arguments: Start.allCases)
    func onlyWhatIsForNowLapses(_ start: Start) {
        var machine = start.machine
        #expect(machine.lapsed() == (start == .fullForNow))
        #expect(machine.isFull == (start == .full))
    }

    @Test(arguments: Start.allCases, [false, true])
    func settingsLeadEverywhere(_ start: Start, _ precise: Bool) {
        var machine = start.machine
        _ = machine.decided(precise: precise)
        #expect(machine.isFullForGood == precise)
        #expect(machine.purpose == nil)
    }
}
