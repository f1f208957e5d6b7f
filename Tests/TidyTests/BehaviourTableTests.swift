internal import Foundation
internal import Testing

/// Goal: every test that the table of documented behaviour names exists.
@Suite struct BehaviourTableTests {
    /// The tests a table names: the words in backquotes at the end of its rows.
    static func named(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            guard line.hasPrefix("| "), line.hasSuffix("` |"), let start = line.dropLast(3).lastIndex(of: "`") else {
                return nil
            }
            return String(line[line.index(after: start)...].dropLast(3))
        }
    }

    @Test func everyTestNamedInTheTableExists() throws {
        let table = try SourceTree.files(in: ["docs"], ending: "documented-behaviour.md").first
        let named = try Self.named(in: #require(table).text)
        #expect(named.count > 50)
        let tests = try SourceTree.files(in: ["Tests"], ending: ".swift").map(\.text).joined()
        for name in Set(named).sorted() { #expect(tests.contains("func \(name)("), "no test is called \(name)") }
    }

    @Test func aRowIsFound() {
        #expect(Self.named(in: "| says | `thatItIsSo` |\n|---|---|\n| a | b |") == ["thatItIsSo"])
    }
}
