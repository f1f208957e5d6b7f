internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

extension WireDiagnosis {
    /// Creates the findings when locationd does not answer, in the usual form for scripts.
    init(unreached words: String) {
        self.init()
        self.findings = [
            .with {
                $0.severity = .trouble
                $0.subject = "locationd"
                $0.words = words
                $0.remedy = "systemctl --user status locationd"
            }
        ]
    }

    /// The number of findings about parts that do not work.
    var troubles: Int { self.findings.count { $0.severity == .trouble } }

    func text(isColoured: Bool) -> String {
        let width = self.findings.map(\.subject.columns).max() ?? 0
        let lines = self.findings.flatMap { finding in
            let severity = finding.severity.words
            let word = severity + String(repeating: " ", count: max(0, 7 - severity.count))
            let subject = finding.subject + String(repeating: " ", count: width - finding.subject.columns)
            let mark = isColoured ? "\u{1B}[\(finding.severity.colour)m\(word)\u{1B}[0m" : word
            // Subject and words may contain text from an app.
            let line = "\(mark)  \(PlainText.of("\(subject)  \(finding.words)"))"
            return [line] + (finding.remedy.isEmpty ? [] : ["         → \(PlainText.of(finding.remedy))"])
        }
        let sum = self.troubles == 0 ? "Nothing is in trouble." : "In trouble: \(self.troubles)."
        return (lines + ["", sum]).joined(separator: "\n")
    }
}

extension WireFinding.Severity {
    fileprivate var words: String {
        switch self {
        case .fine: "fine"
        case .note: "note"
        case .trouble: "trouble"
        case .UNRECOGNIZED(let number): "unknown (\(number))"
        }
    }

    /// The terminal's code for green, yellow or red.
    fileprivate var colour: String {
        switch self {
        case .fine: "32"
        case .note: "33"
        case .trouble, .UNRECOGNIZED: "31"
        }
    }
}
