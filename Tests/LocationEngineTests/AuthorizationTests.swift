internal import Testing

@testable internal import LocationEngine

@Suite struct AuthorizationTests {
    /// Every state, reached by public calls alone.
    enum Start: CaseIterable {
        case notDetermined, askingWhenInUse, whenInUse, askingAlways, whenInUseOnly, always, denied

        var machine: Authorization {
            var machine = Authorization()
            switch self {
            case .notDetermined: break
            case .askingWhenInUse: _ = machine.wanted(.whenInUse)
            case .whenInUse:
                _ = machine.wanted(.whenInUse)
                _ = machine.answered(.whenInUse, allow: true)
            case .askingAlways:
                machine = Start.whenInUse.machine
                _ = machine.wanted(.always)
            case .whenInUseOnly:
                machine = Start.askingAlways.machine
                _ = machine.answered(.always, allow: false)
            case .always:
                machine = Start.askingAlways.machine
                _ = machine.answered(.always, allow: true)
            case .denied:
                machine = Start.askingWhenInUse.machine
                _ = machine.answered(.whenInUse, allow: false)
            }
            return machine
        }
    }

    @Test(arguments: Start.allCases)
    func onlyTwoStatesAskForAlways(_ start: Start) {
        var machine = start.machine
        let expected: Authorization.OnWanted =
            switch start {
            case .notDetermined: .ask(.whenInUse)
            case .whenInUse: .ask(.always)
            case .askingWhenInUse, .askingAlways, .whenInUseOnly, .always, .denied: .ignore
            }
        #expect(machine.wanted(.always) == expected)
    }

    @Test(arguments: Start.allCases)
    func aSessionWithoutRequirementNeverAsks(_ start: Start) {
        var machine = start.machine
        #expect(machine.wanted(.none) == .ignore)
        #expect(machine == start.machine)
    }

    @Test(arguments: Start.allCases, [Authorization.Prompt.whenInUse, .always])
    func anAnswerCountsOnlyWhileItsQuestionIsOut(_ start: Start, _ prompt: Authorization.Prompt) {
        var machine = start.machine
        let isOut = machine.prompt == prompt
        #expect(machine.answered(prompt, allow: true) == (isOut ? .announce : .ignore))
        #expect(isOut || machine == start.machine)
    }

    @Test(arguments: Start.allCases, Authorization.Status.allCases)
    func settingsLeadEverywhere(_ start: Start, _ status: Authorization.Status) {
        var machine = start.machine
        _ = machine.set(to: status)
        #expect(machine.status == status)
        #expect(machine.prompt == nil)
    }
}
