internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

extension Prompt.Question {
    /// The answers a person can choose from, in the order of Apple's alerts.
    var choices: [AgentChoice] {
        switch self {
        case .whenInUse: [.allowOnce, .allowWhileUsing, .dontAllow]
        case .always, .confirmAlways: [.keepWhileUsing, .changeToAlways]
        case .fullAccuracy: [.allowFullAccuracy, .denyFullAccuracy]
        }
    }
}

extension AgentChoice {
    /// The name in the schema.
    fileprivate var name: String {
        switch self {
        case .unspecified: "UNSPECIFIED"
        case .dontAllow: "DONT_ALLOW"
        case .allowOnce: "ALLOW_ONCE"
        case .allowWhileUsing: "ALLOW_WHILE_USING"
        case .keepWhileUsing: "KEEP_WHILE_USING"
        case .changeToAlways: "CHANGE_TO_ALWAYS"
        case .allowFullAccuracy: "ALLOW_FULL_ACCURACY"
        case .denyFullAccuracy: "DENY_FULL_ACCURACY"
        case .UNRECOGNIZED(let number): "\(number)"
        }
    }
}

extension Prompt.Answer {
    /// Reads a person's answer.
    ///
    /// - Parameters:
    ///   - answer: the answer on the wire.
    ///   - current: the shown prompt.
    /// - Throws: ``DaemonError`` when the prompt is gone, or does not offer the choice.
    init(_ answer: AgentAnswer, to current: Prompt?) throws(DaemonError) {
        guard let prompt = current, prompt.id.rawValue == answer.prompt else {
            throw DaemonError("the prompt \(answer.prompt) was answered or taken back meanwhile")
        }
        let choices = prompt.question.choices
        guard choices.contains(answer.choice), let said = Self(answer) else {
            throw DaemonError(
                "the prompt \(answer.prompt) has the choices \(choices.map(\.name).joined(separator: ", "))"
            )
        }
        self = said
    }

    private init?(_ answer: AgentAnswer) {
        switch answer.choice {
        case .dontAllow: self = .dontAllow
        case .allowOnce: self = .allowOnce(precise: !answer.approximate)
        case .allowWhileUsing: self = .allowWhileUsing(precise: !answer.approximate)
        case .keepWhileUsing: self = .keepWhileUsing
        case .changeToAlways: self = .changeToAlways
        case .allowFullAccuracy: self = .allowFullAccuracy
        case .denyFullAccuracy: self = .denyFullAccuracy
        case .unspecified, .UNRECOGNIZED: return nil
        }
    }
}
