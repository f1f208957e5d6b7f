internal import Testing
internal import WhereaboutsVocabulary

/// A step of a transcript, `@seconds input -> expected actions`, and the actual ones.
struct Step {
    let text: Substring
    let seconds: Double
    let words: [Substring]
    let expected: Substring

    /// Reads the steps of a script, one a line.
    static func read(_ script: String) throws -> [Step] {
        try script.split(separator: "\n").map { line in
            let halves = line.split(separator: " -> ", maxSplits: 1)
            let words = halves[0].split(separator: " ")
            guard halves.count == 2, words.count > 1, words[0].first == "@",
                let seconds = Double(words[0].dropFirst())
            else { throw FixtureError() }
            return Step(text: line, seconds: seconds, words: Array(words.dropFirst()), expected: halves[1])
        }
    }

    /// The time of the step on both clocks.
    var now: Now { .at(self.seconds) }

    /// Expects what the step says, `-` for nothing.
    func expect(_ effects: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        let said = effects.isEmpty ? "-" : effects.joined(separator: " ")
        #expect(said == self.expected, "\(self.text)", sourceLocation: sourceLocation)
    }
}

/// Draws the middle of every range, so that pauses are the same in every run.
struct MiddleGenerator: RandomNumberGenerator {
    mutating func next() -> UInt64 { 1 << 63 }
}

extension Now {
    /// A time some seconds after noon, on both clocks.
    static func at(_ seconds: Double) -> Now {
        let since = Duration.milliseconds(Int64((seconds * 1000).rounded()))
        return Now(monotonic: EngineInstant(sinceStart: since), wall: noon.advanced(by: since))
    }
}

/// A duration as a script writes it: `10s`, `0.2s`.
func text(_ duration: Duration) -> String {
    let milliseconds = Int((duration / .milliseconds(1)).rounded())
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(Double(milliseconds) / 1000)s"
}
