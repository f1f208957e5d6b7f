internal import Foundation
internal import Testing

/// The threat model names tests for all that it calls defended, and a page for the rest.
@Suite struct ThreatModelTests {
    /// A row of an adversary's table.
    struct Row {
        var adversary: String
        var tries: String
        var end: String
        var shown: String
    }

    /// The adversaries, each of which has a section.
    private static let adversaries = [
        "A stranger", "A requester", "A provider", "An app", "A program that asks GeoClue",
        "Another user of the device", "The sharing server",
        "The gateway", "The network", "A thief of the disk", "The owner of the device",
    ]

    static func rows(in text: String) -> [Row] {
        var adversary = ""
        return text.split(separator: "\n").compactMap { line in
            if line.hasPrefix("## ") { adversary = String(line.dropFirst(3)) }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| "), cells.count == 3, cells[0] != "tries" else { return nil }
            return Row(adversary: adversary, tries: cells[0], end: cells[1], shown: cells[2])
        }
    }

    /// The mistake of a row; nil when it names tests that are there, or the page that decides that it is not defended.
    static func complaint(about row: Row, tests: Set<String>) -> String? {
        let names = row.shown.matches(of: /`(\w+)`/).map { String($0.output.1) }
        guard !names.isEmpty else {
            let isDecided = row.shown == "not defended" && row.end.contains("not defended") && row.end.contains("](")
            return isDecided ? nil : "\(row.tries): no test shows it, and no page says that it is not defended"
        }
        let missing = names.filter { !tests.contains($0) }
        return missing.isEmpty ? nil : "\(row.tries): no test is called \(missing)"
    }

    @Test func everyRowNamesItsTestOrItsPage() throws {
        let rows = Self.rows(in: try SourceTree.file("docs/threat-model.md").text)
        // The suites of stores and sealings stand in the test kit.
        let files = try SourceTree.files(in: ["Tests", "Sources/Testing/WhereaboutsTestKit"], ending: ".swift")
        let names = files.flatMap { $0.text.matches(of: /func (\w+)\(/.matchingSemantics(.unicodeScalar)) }
        let tests = Set(names.map { String($0.output.1) })
        let complaints = rows.compactMap { Self.complaint(about: $0, tests: tests) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func everyAttackTriesARow() throws {
        let rows = Set(Self.rows(in: try SourceTree.file("docs/threat-model.md").text).map(\.tries))
        let attacks = try SourceTree.files(in: ["Tools/attack"], ending: ".swift").compactMap { file in
            file.text.firstMatch(of: /static let row = "(.+)"\n/).map { (file.path, String($0.output.1)) }
        }
        #expect(attacks.count > 10)
        for (path, row) in attacks {
            #expect(rows.contains(row), "\(path) tries '\(row)', which is no row of docs/threat-model.md")
        }
    }

    @Test func everyAdversaryHasDefencesAndHonestGaps() throws {
        let rows = Self.rows(in: try SourceTree.file("docs/threat-model.md").text)
        for adversary in Self.adversaries {
            #expect(rows.count { $0.adversary == adversary } > 2, "\(adversary) tries too little")
        }
        #expect(Set(rows.map(\.adversary)) == Set(Self.adversaries))
    }

    @Test func aRowThatPromisesWhatNobodyShowsIsFound() {
        let rows = Self.rows(
            in: """
                ## A stranger

                | tries | ends so | shown by |
                |---|---|---|
                | a | b | `isShown` |
                | c | d | `isShown` `isNot` |
                | e | not defended: [f](g.md) | not defended |
                | h | not defended | not defended |
                | i | j | |
                """
        )
        let isFine = rows.map { Self.complaint(about: $0, tests: ["isShown"]) == nil }
        #expect(isFine == [true, false, true, false, false])
    }
}
