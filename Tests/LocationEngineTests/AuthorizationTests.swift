internal import Testing

@testable internal import WhereaboutsLocationEngine

@Suite struct AuthorizationTests {
    /// Every state, reached by public calls alone.
    enum Start: CaseIterable {
        case notDetermined, askingWhenInUse, askingForAlways, once, whenInUse, askingAlways, whenInUseOnly
        case provisional, confirming, always, denied

        var machine: Authorization {
            var machine = Authorization()
            switch self {
            case .notDetermined: break
            case .askingWhenInUse: _ = machine.wanted(.whenInUse)
            case .askingForAlways: _ = machine.requested(.always)
            case .once:
                machine = Start.askingForAlways.machine
                _ = machine.answered(.whenInUse, with: .allowOnce(precise: true))
            case .whenInUse:
                machine = Start.askingWhenInUse.machine
                _ = machine.answered(.whenInUse, with: .allowWhileUsing(precise: true))
            case .askingAlways:
                machine = Start.whenInUse.machine
                _ = machine.wanted(.always)
            case .whenInUseOnly:
                machine = Start.askingAlways.machine
                _ = machine.answered(.always, with: .keepWhileUsing)
            case .provisional:
                machine = Start.askingForAlways.machine
                _ = machine.answered(.whenInUse, with: .allowWhileUsing(precise: true))
            case .confirming:
                machine = Start.provisional.machine
                _ = machine.alwaysTried()
            case .always:
                machine = Start.askingAlways.machine
                _ = machine.answered(.always, with: .changeToAlways)
            case .denied:
                machine = Start.askingWhenInUse.machine
                _ = machine.answered(.whenInUse, with: .dontAllow)
            }
            return machine
        }

        /// The status an app reads in the state.
        var status: Authorization.Status {
            switch self {
            case .notDetermined, .askingWhenInUse, .askingForAlways: .notDetermined
            case .once, .whenInUse, .askingAlways, .whenInUseOnly: .whenInUse
            case .provisional, .confirming, .always: .always
            case .denied: .denied
            }
        }
    }

    @Test(arguments: Start.allCases)
    func aQuestionUnderWayChangesNoStatus(_ start: Start) {
        #expect(start.machine.status == start.status)
    }

    @Test(arguments: Start.allCases)
    func onlyTwoStatesAskForAlways(_ start: Start) {
        var machine = start.machine
        let expected: Authorization.OnWanted =
            switch start {
            case .notDetermined: .ask(.whenInUse)
            case .whenInUse: .ask(.always)
            case .askingWhenInUse, .askingForAlways, .once, .askingAlways, .whenInUseOnly, .provisional, .confirming,
                .always, .denied:
                .ignore
            }
        #expect(machine.wanted(.always) == expected)
        var requested = start.machine
        #expect(requested.requested(.always) == expected)
    }

    @Test(arguments: Start.allCases)
    func aSessionWithoutRequirementNeverAsks(_ start: Start) {
        var machine = start.machine
        #expect(machine.wanted(.none) == .ignore)
        #expect(machine == start.machine)
    }

    @Test(
        arguments: Start.allCases,
        [Prompt.Answer.dontAllow, .allowOnce(precise: true), .allowWhileUsing(precise: true), .keepWhileUsing]
    )
    func anAnswerCountsOnlyWhereItBelongs(_ start: Start, _ answer: Prompt.Answer) {
        for question in [Authorization.Question.whenInUse, .always, .confirmAlways] {
            var machine = start.machine
            let isForFirst =
                switch answer {
                case .dontAllow, .allowOnce, .allowWhileUsing: true
                case .keepWhileUsing, .changeToAlways, .allowFullAccuracy, .denyFullAccuracy: false
                }
            let belongs = start.machine.question == question && isForFirst == (question == .whenInUse)
            #expect(machine.answered(question, with: answer) == (belongs ? .announce : .ignore))
            #expect(belongs || machine == start.machine)
        }
    }

    @Test(arguments: Start.allCases)
    func onlyOnceLapses(_ start: Start) {
        var machine = start.machine
        #expect(machine.lapsed() == (start == .once ? .announce : .ignore))
        #expect(start != .once || machine.status == .notDetermined)
    }

    @Test(arguments: Start.allCases)
    func aWithdrawnQuestionCanBeAskedAgain(_ start: Start) {
        var machine = start.machine
        let question = machine.question
        #expect(machine.withdrawn() == (question == nil ? .ignore : .announce))
        #expect(machine.question == nil)
        #expect(machine.status == start.status)
        switch question {
        case .whenInUse: #expect(machine.wanted(.whenInUse) == .ask(.whenInUse))
        case .always: #expect(machine.wanted(.always) == .ask(.always))
        case .confirmAlways: #expect(machine.alwaysTried() == .ask(.confirmAlways))
        case nil: break
        }
    }

    @Test(arguments: Start.allCases, Authorization.Setting.allCases)
    func settingsLeadEverywhere(_ start: Start, _ setting: Authorization.Setting) {
        var machine = start.machine
        _ = machine.set(to: setting)
        #expect(machine.setting == setting)
        #expect(machine.question == nil)
    }

    @Test func provisionalAlwaysReadsAsAlwaysAndServesAsWhileUsing() {
        let machine = Start.provisional.machine
        #expect(machine.status == .always)
        #expect(machine.setting == .whileUsing)
        #expect(!machine.servesUnseen)
    }
}
