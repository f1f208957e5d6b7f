internal import Testing

/// Goal: every test that the table of the provider API names exists.
@Suite struct ProviderAPITests {
    /// The rows: a fact, the gateway's behaviour, and the tests for it.
    static func rows(in text: String) -> [(fact: String, shown: String)] {
        text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingPrefix(while: \.isWhitespace) }
            guard line.hasPrefix("| "), cells.count == 3, cells[0] != "fact " else { return nil }
            return (String(cells[0]), String(cells[2]))
        }
    }

    /// The error of a row; nil if its tests exist.
    static func complaint(about row: (fact: String, shown: String), tests: Set<String>) -> String? {
        let names = row.shown.matches(of: /`(\w+)`/).map { String($0.output.1) }
        if names.isEmpty { return "\(row.fact): no test shows it" }
        let missing = names.filter { !tests.contains($0) }
        return missing.isEmpty ? nil : "\(row.fact): no test is called \(missing)"
    }

    @Test func everyFactNamesItsTest() throws {
        let rows = Self.rows(in: try SourceTree.file("docs/provider-api.md").text)
        #expect(rows.count > 35)
        let files = try SourceTree.files(in: ["Tests"], ending: ".swift")
        let names = files.flatMap { $0.text.matches(of: /func (\w+)\(/.matchingSemantics(.unicodeScalar)) }
        let tests = Set(names.map { String($0.output.1) })
        let complaints = rows.compactMap { Self.complaint(about: $0, tests: tests) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func aFactThatNobodyShowsIsFound() {
        let rows = Self.rows(in: "| fact | at the gateway | shown |\n| a | the same | `b` `c` |\n| d | the same |  |\n")
        #expect(
            rows.map { Self.complaint(about: $0, tests: ["b"]) ?? "" } == [
                "a : no test is called [\"c\"]", "d : no test shows it",
            ]
        )
    }
}
