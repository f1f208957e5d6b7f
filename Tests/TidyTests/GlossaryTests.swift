internal import Foundation
internal import Testing

/// One word for a thing: the synonyms that the glossary rules out stand in no document.
@Suite struct GlossaryTests {
    /// A word, and those that must not stand for it.
    struct Entry: Hashable {
        let word: String
        let synonyms: [String]
    }

    /// The rows of the glossary's tables of three columns under `word | means | not`.
    static func entries(in glossary: String) -> [Entry] {
        var isTable = false
        return glossary.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if cells == ["word", "means", "not"] { isTable = true }
            if !line.hasPrefix("|") { isTable = false }
            guard isTable, cells.count == 3, cells[0] != "word", !cells[0].hasPrefix("---"), !cells[2].isEmpty else {
                return nil
            }
            return Entry(word: cells[0], synonyms: cells[2].components(separatedBy: ", "))
        }
    }

    /// A document's prose: without blocks of code and without code in lines.
    static func prose(_ text: String) -> String {
        text.replacing(/```[\s\S]*?```/, with: "").replacing(/`[^`\n]*`/, with: "")
    }

    /// The synonyms that stand in a text as words of their own, also in the plural.
    static func found(_ synonyms: [String], in text: String) throws -> [String] {
        let lowercase = text.lowercased().replacing(/\s+/, with: " ")
        return try synonyms.filter { synonym in
            guard lowercase.contains(synonym.lowercased()) else { return false }
            let pattern = #"\b"# + NSRegularExpression.escapedPattern(for: synonym.lowercased()) + #"s?\b"#
            return try lowercase.contains(Regex(pattern))
        }
    }

    @Test func noDocumentUsesASynonymThatIsRuledOut() throws {
        let entries = Self.entries(in: try SourceTree.file("docs/glossary.md").text)
        #expect(entries.count > 40)
        for document in try SourceTree.documents() where document.path != "docs/glossary.md" {
            let prose = Self.prose(document.text)
            for entry in entries {
                let found = try Self.found(entry.synonyms, in: prose)
                #expect(found.isEmpty, "\(document.path) says \(found); the glossary's word is \(entry.word)")
            }
        }
    }

    @Test func noWordIsRuledOutThatTheGlossaryUses() throws {
        let entries = Self.entries(in: try SourceTree.file("docs/glossary.md").text)
        let words = Set(entries.flatMap { $0.word.components(separatedBy: ", ") })
        for entry in entries {
            #expect(words.isDisjoint(with: entry.synonyms), "\(entry.synonyms) rules out a word of the glossary")
        }
    }

    @Test func aSynonymIsFoundInProseAndNotInCode() throws {
        let table = """
            | word | means | not |
            |---|---|---|
            | fix | one | data point, reading |
            | a | b | |

            | x | y | z |
            """
        let entries = Self.entries(in: table)
        #expect(entries == [Entry(word: "fix", synonyms: ["data point", "reading"])])
        #expect(try Self.found(entries[0].synonyms, in: "Two Data\nPoints, a threading.") == ["data point"])
        #expect(Self.prose("a `data point` b\n```\nreading\n```\nc") == "a  b\n\nc")
    }
}
