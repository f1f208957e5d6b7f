/// The expected outcomes of a matrix, as text: a named column for each start, and a named line for each input.
///
/// Two or more spaces separate columns.
struct OutcomeTable<Start: CaseIterable & Hashable & Sendable, Input: CaseIterable & Hashable & Sendable>: Sendable {
    private struct Missing: Error { var name: String }

    private let starts: [String]
    private let lines: [String: [String]]

    init(_ text: String) {
        let lines = text.split(separator: "\n").map { line in
            line.split(separator: "  ").map { String($0.drop { $0 == " " }) }
        }
        self.starts = lines.first ?? []
        self.lines = Dictionary(uniqueKeysWithValues: lines.dropFirst().map { ($0[0], Array($0.dropFirst())) })
    }

    /// The expected outcome; the table must list exactly the given starts and inputs.
    subscript(start: Start, input: Input) -> String {
        get throws {
            guard self.starts == Start.allCases.map({ "\($0)" }) else { throw Missing(name: "a start") }
            guard let line = self.lines["\(input)"], self.lines.count == Input.allCases.count,
                let column = self.starts.firstIndex(of: "\(start)"), line.count == self.starts.count
            else { throw Missing(name: "\(start) on \(input)") }
            return line[column]
        }
    }
}
