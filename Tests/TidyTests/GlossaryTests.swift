internal import Foundation
internal import Testing

/// Goal: documents use none of the synonyms that the glossary forbids, and no word has two rows.
@Suite struct GlossaryTests {
    /// The words of a row, and their forbidden synonyms.
    struct Entry: Hashable {
        let words: [String]
        let synonyms: [String]
    }

    /// The rows of the glossary's tables of three columns under `word | means | not`.
    static func entries(in glossary: String) -> [Entry] {
        var isTable = false
        return glossary.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if cells == ["word", "means", "not"] { isTable = true }
            if !line.hasPrefix("|") { isTable = false }
            guard isTable, cells.count == 3, cells[0] != "word", !cells[0].hasPrefix("---") else { return nil }
            return Entry(words: Self.list(cells[0]), synonyms: Self.list(cells[2]))
        }
    }

    private static func list(_ cell: String) -> [String] {
        cell.isEmpty ? [] : cell.components(separatedBy: ", ")
    }

    /// The words that have two rows, and those that one row defines and another one forbids.
    static func contradictions(in entries: [Entry]) -> [String] {
        var seen: Set<String> = []
        let doubled = entries.flatMap(\.words).filter { !seen.insert($0).inserted }.map { "\($0) has two rows" }
        let forbidden = entries.flatMap(\.synonyms).filter(seen.contains)
        return doubled + forbidden.map { "\($0) has a row, and another one rules it out" }
    }

    /// A document's prose in lower case and one line, without blocks of code and without code in lines.
    static func prose(_ text: String) -> String {
        text.replacing(/```[\s\S]*?```/, with: "").replacing(/`[^`\n]*`/, with: "")
            .lowercased().replacing(/\s+/, with: " ")
    }

    /// The synonyms that occur in prose as whole words, also in the plural.
    static func found(_ synonyms: [String], in prose: String) throws -> [String] {
        try synonyms.filter { synonym in
            guard prose.contains(synonym.lowercased()) else { return false }
            let pattern = #"\b"# + NSRegularExpression.escapedPattern(for: synonym.lowercased()) + #"s?\b"#
            return try prose.contains(Regex(pattern))
        }
    }

    @Test func noDocumentUsesASynonymThatIsRuledOut() throws {
        let entries = Self.entries(in: try SourceTree.file("docs/glossary.md").text)
        #expect(entries.count > 90 && entries.contains { $0.synonyms.isEmpty })
        for document in try SourceTree.documents() where document.path != "docs/glossary.md" {
            let prose = Self.prose(document.text)
            for entry in entries {
                let found = try Self.found(entry.synonyms, in: prose)
                #expect(found.isEmpty, "\(document.path) says \(found); the glossary's word is \(entry.words)")
            }
        }
    }

    @Test func everyWordHasOneRowAndNoneRulesItOut() throws {
        let entries = Self.entries(in: try SourceTree.file("docs/glossary.md").text)
        #expect(Self.contradictions(in: entries) == [])
    }

    @Test func everyNameThatTheGlossaryTellsApartIsDeclared() throws {
        let text = try SourceTree.file("docs/glossary.md").text
        let section = try #require(text.components(separatedBy: "## Names near each other").dropFirst().first)
        let names = section.matches(of: /`([A-Z][\w.]+)`/).map { $0.output.1.replacing(".", with: "/") }
        #expect(names.count > 20)
        let manifest = try PackageManifest.ours()
        let files = try SourceTree.files(in: ["Sources", "Tools", "Examples"], ending: ".swift")
        let index = SymbolIndex(files, modules: manifest.targets.flatMap { [$0.name, $0.module] }) { _ in "" }
        for name in names { #expect(index.has(String(name), in: ""), "nothing declares \(name) of docs/glossary.md") }
    }

    @Test func aSynonymIsFoundInProseAndNotInCode() throws {
        let table = """
            | word | means | not |
            |---|---|---|
            | fix | one | data point, reading |
            | a, fix | b | |
            | c | d | a |

            | x | y | z |
            """
        let entries = Self.entries(in: table)
        #expect(
            entries == [
                Entry(words: ["fix"], synonyms: ["data point", "reading"]), Entry(words: ["a", "fix"], synonyms: []),
                Entry(words: ["c"], synonyms: ["a"]),
            ]
        )
        #expect(Self.contradictions(in: entries) == ["fix has two rows", "a has a row, and another one rules it out"])
        let prose = Self.prose("Two Data\nPoints, a threading.")
        #expect(try Self.found(entries[0].synonyms, in: prose) == ["data point"])
        #expect(Self.prose("a `data point` b\n```\nreading\n```\nC") == "a b c")
    }
}
