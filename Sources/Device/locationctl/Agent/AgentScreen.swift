internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The agent protocol on a terminal: shown lines and entered lines.
struct AgentScreen {
    /// The action of an entered line.
    enum Entered {
        case send(AgentRequest)
        case say(String)
        case quit
    }

    private var prompt: AgentPrompt?
    private var isPrecise = true
    /// The indicators on screen; live activities keep the number that dismisses them.
    private var indicators: [(number: Int?, shown: AgentIndicator)] = []
    private var phases: [String: AgentPhase] = [:]

    var greeting: String { "Requests from apps appear here. ? lists the commands, q quits." }

    private static let help = """
        1, 2, …          answer what is asked
        p                precisely, or approximately (where it is offered)
        f APP, b APP     a person looks at the app, or no longer does
        d NUMBER         dismiss a live activity
        l                the display was lit
        q                end; what is not answered is shown to the next agent
        """

    // MARK: Shown

    /// The text for an event.
    mutating func shown(_ event: AgentEvent) -> String {
        switch event.body {
        case .prompt(let prompt):
            self.prompt = prompt
            self.isPrecise = true
            return self.question(prompt)
        case .withdrawal(let withdrawal):
            guard self.prompt?.id == withdrawal.prompt else { return "" }
            self.prompt = nil
            return "  (done)\n"
        case .indicators(let indicators):
            let more = indicators.leftOut == 0 ? "" : "● and \(indicators.leftOut) more\n"
            return self.changed(to: indicators.indicators) + more
        case .apps(let apps):
            let before = self.phases
            self.phases = Dictionary(apps.apps.map { ($0.bundle, $0.phase) }) { $1 }
            return apps.apps.filter { ($0.phase != before[$0.bundle] ?? .notRunning) }
                .map { "\(PlainText.of($0.appName)) (\($0.bundle)) is \($0.phase.words)\n" }.joined()
        case .refusal(let refusal): return "not done: \(PlainText.of(refusal.message))\n"
        case nil: return ""
        }
    }

    private func question(_ prompt: AgentPrompt) -> String {
        let name = PlainText.of(prompt.appName)
        let title =
            switch prompt.question {
            case .whenInUse: "Allow \"\(name)\" to use your location?"
            case .always: "Allow \"\(name)\" to also use your location even when you are not using the app?"
            case .confirmAlways: "\"\(name)\" uses your location in the background. Continue to allow this?"
            case .fullAccuracy: "\"\(name)\" would like your precise location this time. Allow?"
            case .UNRECOGNIZED: "\"\(name)\" asks something this agent does not know."
            }
        var lines = ["", "\(title)  [\(prompt.bundle)]"]
        if !prompt.purpose.isEmpty { lines.append("  \"\(PlainText.of(prompt.purpose))\"") }
        for (number, choice) in prompt.choices.enumerated() { lines.append("  \(number + 1)  \(choice.words)") }
        if prompt.offersPrecise { lines.append("  p  Precise: \(self.isPrecise ? "on" : "off")") }
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func changed(to indicators: [AgentIndicator]) -> String {
        var new = indicators
        var lines: [String] = []
        self.indicators.removeAll { _, shown in
            if let index = new.firstIndex(of: shown) {
                new.remove(at: index)
                return false
            }
            lines.append("○ \(shown.words)\n")
            return true
        }
        for indicator in new {
            // Count on from the highest number: the person may be typing a lower one that has just become free.
            let number = indicator.title.isEmpty ? nil : (self.indicators.compactMap(\.number).max() ?? 0) + 1
            self.indicators.append((number, indicator))
            lines.append("● \(indicator.words)\(number.map { "  (d \($0) dismisses it)" } ?? "")\n")
        }
        return lines.joined()
    }

    // MARK: Entered

    /// Interprets a line that the person has entered.
    mutating func entered(_ line: String) -> Entered {
        let words = line.split(separator: " ").map(String.init)
        guard let first = words.first else { return .say(self.prompt.map { self.question($0) } ?? Self.help) }
        switch (first, words.count) {
        case ("q", 1): return .quit
        case ("?", 1): return .say(Self.help)
        case ("f", 2): return self.phase(words[1], .foreground)
        case ("b", 2): return self.phase(words[1], .background)
        case ("d", 2): return self.dismissal(words[1])
        case ("l", 1): return .send(.with { $0.displayLit = .init() })
        case ("p", 1):
            guard let prompt = self.prompt, prompt.offersPrecise else { return .say("the prompt has no such choice") }
            self.isPrecise.toggle()
            return .say("  p  Precise: \(self.isPrecise ? "on" : "off")")
        default:
            guard words.count == 1, let number = Int(first) else {
                return .say("'\(line)' is not a command; ? lists the commands")
            }
            return self.answer(number)
        }
    }

    private func answer(_ number: Int) -> Entered {
        guard let prompt = self.prompt else { return .say("there is no prompt now") }
        guard prompt.choices.indices.contains(number - 1) else {
            return .say("the choices are 1 to \(prompt.choices.count), not \(number)")
        }
        let approximate = prompt.offersPrecise && !self.isPrecise
        return .send(
            .with {
                $0.answer = .with {
                    $0.prompt = prompt.id
                    $0.choice = prompt.choices[number - 1]
                    $0.approximate = approximate
                }
            }
        )
    }

    private func phase(_ bundle: String, _ phase: AgentPhase) -> Entered {
        .send(
            .with {
                $0.setPhase = .with {
                    $0.bundle = bundle
                    $0.phase = phase
                }
            }
        )
    }

    private func dismissal(_ number: String) -> Entered {
        guard let number = Int(number), let shown = self.indicators.first(where: { $0.number == number })?.shown else {
            return .say("no live activity has the number \(number)")
        }
        return .send(
            .with {
                $0.dismissActivity = .with {
                    $0.bundle = shown.bundle
                    $0.title = shown.title
                }
            }
        )
    }
}

extension AgentChoice {
    fileprivate var words: String {
        switch self {
        case .dontAllow: "Don't Allow"
        case .allowOnce: "Allow Once"
        case .allowWhileUsing: "Allow While Using App"
        case .keepWhileUsing: "Keep Only While Using"
        case .changeToAlways: "Change to Always Allow"
        case .allowFullAccuracy: "Allow Once"
        case .denyFullAccuracy: "Don't Allow"
        case .unspecified, .UNRECOGNIZED: "(unknown to this agent)"
        }
    }
}

extension AgentPhase {
    fileprivate var words: String {
        switch self {
        case .foreground: "in the foreground"
        case .background: "in the background"
        case .suspended: "suspended"
        case .notRunning: "not running"
        case .UNRECOGNIZED: "in a state this agent does not know"
        }
    }
}

extension AgentIndicator {
    fileprivate var words: String {
        let name = PlainText.of(self.appName)
        if self.sharingStopped { return "\(name) stopped sharing your location: open \(name) once to go on sharing" }
        return self.title.isEmpty ? "\(name) uses your location" : "\(name): \(PlainText.of(self.title))"
    }
}
