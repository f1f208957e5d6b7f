internal import WhereaboutsLocationEngine

extension Scenario.Habit {
    /// The answer of a person with this habit; nil: they do not answer.
    func answer(to question: Prompt.Question) -> Prompt.Answer? {
        switch (self, question) {
        case (.doesNotAnswer, _): nil
        case (.allowsAll, .whenInUse), (.allowsWhileUsing, .whenInUse): .allowWhileUsing(precise: true)
        case (.allowsApproximate, .whenInUse): .allowWhileUsing(precise: false)
        case (.allowsOnce, .whenInUse): .allowOnce(precise: true)
        case (.refuses, .whenInUse): .dontAllow
        case (.allowsAll, .always), (.allowsAll, .confirmAlways), (.allowsApproximate, .always),
            (.allowsApproximate, .confirmAlways):
            .changeToAlways
        case (_, .always), (_, .confirmAlways): .keepWhileUsing
        case (.refuses, .fullAccuracy), (.allowsApproximate, .fullAccuracy): .denyFullAccuracy
        case (_, .fullAccuracy): .allowFullAccuracy
        }
    }
}

extension Scenario.Setting {
    var engine: Authorization.Setting {
        switch self {
        case .never: .never
        case .askNextTime: .askNextTime
        case .whileUsing: .whileUsing
        case .always: .always
        }
    }
}
