internal import SwiftProtobuf
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The doctor's findings as they are shown: by field for scripts, in lines for people.
struct DoctorReport: Encodable {
    /// One of them.
    struct Finding: Encodable {
        /// `fine`, `note` or `trouble`.
        var severity: String
        var subject: String
        var words: String
        /// Absent where nothing is to be done.
        var remedy: String?

        fileprivate init(_ finding: WireFinding) {
            self.severity =
                switch finding.severity {
                case .fine: "fine"
                case .note: "note"
                case .trouble: "trouble"
                case .UNRECOGNIZED(let number): "unknown (\(number))"
                }
            self.subject = finding.subject
            self.words = finding.words
            self.remedy = finding.remedy.isEmpty ? nil : finding.remedy
        }

        /// The colour of the terminal: green, yellow, red.
        fileprivate var colour: String {
            switch self.severity {
            case "fine": "32"
            case "note": "33"
            default: "31"
            }
        }
    }

    var findings: [Finding]

    init(_ diagnosis: WireDiagnosis) { self.findings = diagnosis.findings.map(Finding.init) }

    /// The report of a device whose locationd says nothing: scripts find it where they look for all else.
    init(unreached words: String) {
        let finding = WireFinding.with {
            $0.severity = .trouble
            $0.subject = "locationd"
            $0.words = words
            $0.remedy = "systemctl --user status locationd"
        }
        self.findings = [Finding(finding)]
    }

    /// The number of those that do not work.
    var troubles: Int { self.findings.count { $0.severity == "trouble" } }

    /// For people.
    func text(isColoured: Bool) -> String {
        let width = self.findings.map(\.subject.columns).max() ?? 0
        let lines = self.findings.flatMap { finding in
            let word = finding.severity + String(repeating: " ", count: max(0, 7 - finding.severity.count))
            let subject = finding.subject + String(repeating: " ", count: width - finding.subject.columns)
            let mark = isColoured ? "\u{1B}[\(finding.colour)m\(word)\u{1B}[0m" : word
            // Subjects and words may be an app's own.
            let line = "\(mark)  \(PlainText.of("\(subject)  \(finding.words)"))"
            return [line] + (finding.remedy.map { ["         → \(PlainText.of($0))"] } ?? [])
        }
        let sum = self.troubles == 0 ? "Nothing is in trouble." : "In trouble: \(self.troubles)."
        return (lines + ["", sum]).joined(separator: "\n")
    }
}
