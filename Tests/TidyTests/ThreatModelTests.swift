internal import Foundation
internal import Testing

/// Goal: the threat model names tests for every defence, and a page for everything that is not defended.
@Suite struct ThreatModelTests {
    /// A row of an adversary's table.
    struct Row {
        var adversary: String
        var tries: String
        var end: String
        var shown: String
    }

    /// The adversaries; each has a section.
    private static let adversaries = [
        "A stranger", "A requester", "A provider", "An app", "A program that asks GeoClue",
        "Another user of the device", "The sharing server", "A dispatcher",
        "The gateway", "The network", "A thief of the disk", "The owner of the device",
    ]

    static func rows(in text: String) -> [Row] {
        var adversary = ""
        return text.split(separator: "\n").compactMap { line in
            if line.hasPrefix("## ") { adversary = String(line.dropFirst(3)) }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard adversary != "Assets", line.hasPrefix("| "), cells.first != "tries" else { return nil }
            // Markdown does not display a row with a wrong number of cells.
            guard cells.count == 3 else { return Row(adversary: adversary, tries: String(line), end: "", shown: "") }
            return Row(adversary: adversary, tries: cells[0], end: cells[1], shown: cells[2])
        }
    }

    /// The names of the tests in a file: functions with `@Test`, not their helpers.
    static func tests(in text: String) -> [String] {
        var isTest = false
        return text.split(separator: "\n").compactMap { line in
            if line.drop(while: \.isWhitespace).hasPrefix("@Test") { isTest = true }
            guard isTest, let name = line.firstMatch(of: /func (\w+)\(/.matchingSemantics(.unicodeScalar)) else {
                return nil
            }
            isTest = false
            return String(name.output.1)
        }
    }

    /// An attack in a file: its type, and the row that it tries.
    static func attack(in text: String) -> (type: String, row: String)? {
        guard let type = text.firstMatch(of: /enum (\w+): Attack \{/) else { return nil }
        let row = text.firstMatch(of: /static let row =\s+"(.+)"\n/)
        return (String(type.output.1), row.map { String($0.output.1) } ?? "")
    }

    /// The error of a row; nil if its tests exist, or if the page that explains the missing defence exists.
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
        let files = try SourceTree.files(in: ["Tests"], ending: ".swift")
        var tests = Set(files.flatMap { Self.tests(in: $0.text) })
        // The rules of stores and sealing are cases in the test kit, each an argument of a test.
        for kit in try SourceTree.files(in: ["Sources/Testing/WhereaboutsTestKit"], ending: "Rule.swift") {
            let rule = kit.path.split(separator: "/").last?.dropLast(".swift".count) ?? ""
            guard files.contains(where: { $0.text.contains(" \(rule).allCases)\n") }) else { continue }
            tests.formUnion(kit.text.matches(of: /\n    case (\w+)(?=\n)/).map { String($0.output.1) })
        }
        let complaints = rows.compactMap { Self.complaint(about: $0, tests: tests) }
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    /// Goal: an attack without a row or without a run is detected, and so is a row whose attack does not exist.
    @Test func everyAttackIsListedAndTriesARowThatNamesIt() throws {
        let rows = Self.rows(in: try SourceTree.file("docs/threat-model.md").text)
        let list = try SourceTree.file("Tools/attack/AttackList.swift").text
        let attacks = try SourceTree.files(in: ["Tools/attack"], ending: ".swift")
            .compactMap { Self.attack(in: $0.text) }
        #expect(attacks.count > 10)
        for (type, _) in attacks { #expect(list.contains(" \(type).self,"), "AttackList has no \(type)") }
        let tried = Set(attacks.map(\.row))
        let named = Set(rows.filter { $0.shown.contains("`theHonestPartyIsServed`") }.map(\.tries))
        #expect(tried.subtracting(named).isEmpty, "an attack tries a row that does not name theHonestPartyIsServed")
        #expect(named.subtracting(tried).isEmpty, "a row names theHonestPartyIsServed, and no attack tries it")
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
                | k | l, `isShown` |
                | m | n | o | `isShown` |
                """
        )
        let isFine = rows.map { Self.complaint(about: $0, tests: ["isShown"]) == nil }
        #expect(isFine == [true, false, true, false, false, false, false])
    }

    @Test func aHelperIsNoTest() {
        let text = """
            @Suite struct SomeTests {
                private func helps() {}

                @Test(
                    arguments: [1]
                )
                func isShown(_ number: Int) { self.helps() }
                func helpsToo() {}
                @Test func isShownToo() {}
            }
            """
        #expect(Self.tests(in: text) == ["isShown", "isShownToo"])
    }

    @Test func aRowOnALineOfItsOwnIsRead() {
        let attack = Self.attack(in: "enum Some: Attack {\n    static let row =\n        \"to try\"\n}\n")
        #expect(attack?.type == "Some" && attack?.row == "to try")
        let other = Self.attack(in: "enum Other: Attack {\n    static let row = \"to try\"\n}\n")
        #expect(other?.row == "to try")
        #expect(Self.attack(in: "enum Other {}\n") == nil)
    }
}
