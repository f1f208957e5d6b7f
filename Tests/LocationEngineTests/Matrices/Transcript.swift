internal import Testing
internal import WhereaboutsVocabulary

/// A number of seconds after the start.
func second(_ seconds: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

/// Plays a script of lines `@seconds input argument… -> outcome`; the script is the assertion.
///
/// - Parameters:
///   - script: the lines; an input without outcome ends with the arrow.
///   - sourceLocation: where the script is.
///   - step: feeds one input, given as words, and says in words what came of it.
func play(
    _ script: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ step: (_ words: [String], _ now: EngineInstant) -> String
) {
    for line in script.split(separator: "\n") {
        let input = line.split(separator: "->")[0].split(separator: " ").map(String.init)
        let outcome = step(Array(input.dropFirst()), second(Int(input[0].dropFirst()) ?? 0))
        let played = "\(input.joined(separator: " ")) ->\(outcome.isEmpty ? "" : " \(outcome)")"
        #expect(played == line, sourceLocation: sourceLocation)
    }
}
