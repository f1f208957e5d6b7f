internal import Foundation
internal import Testing

/// Goal: `make mutants` can still apply each rule of its list, even if it was not run for a while.
@Suite struct MutantTests {
    struct Mutant {
        var rule: Substring?
        var file: Substring?
        /// The text of the engine.
        var old = ""
        /// The replacement text in the copy.
        var new = ""
    }

    static func mutants(in text: String) -> [Mutant] {
        text.components(separatedBy: "\n\n").map { block in
            var mutant = Mutant()
            for line in block.split(separator: "\n") {
                if line.hasPrefix("rule: ") { mutant.rule = line.dropFirst(6) }
                if line.hasPrefix("file: ") { mutant.file = line.dropFirst(6) }
                if line.hasPrefix("-") { mutant.old += line.dropFirst() + "\n" }
                if line.hasPrefix("+") { mutant.new += line.dropFirst() + "\n" }
            }
            return mutant
        }.filter { $0.rule != nil }
    }

    /// All rules are applied in one build: each text is searched in the file that the previous rules changed.
    @Test func everyTextThatIsReplacedStandsOnceInItsFile() throws {
        let list = try String(contentsOf: SourceTree.root.appending(path: "dev/mutants.txt"), encoding: .utf8)
        let mutants = Self.mutants(in: list)
        #expect(mutants.count >= 10)
        var files: [Substring: String] = [:]
        for mutant in mutants {
            let rule = mutant.rule ?? ""
            let file = try #require(mutant.file, "\(rule) names no file")
            let place = SourceTree.root.appending(path: String(file))
            let text = try files[file] ?? String(contentsOf: place, encoding: .utf8)
            let parts = mutant.old.isEmpty ? [] : text.components(separatedBy: mutant.old)
            #expect(
                parts.count == 2,
                "dev/mutants.txt: the text of \"\(rule)\" stands \(parts.count - 1) times in its file"
            )
            files[file] = parts.joined(separator: mutant.new)
        }
    }

    @Test func everyRuleIsBrokenOnlyWhenItIsSelected() throws {
        let list = try String(contentsOf: SourceTree.root.appending(path: "dev/mutants.txt"), encoding: .utf8)
        for mutant in Self.mutants(in: list) {
            #expect(mutant.new.contains(/\bMUTANT\b/), "dev/mutants.txt: \"\(mutant.rule ?? "")\" has no MUTANT")
        }
    }

    @Test func aRuleIsRead() {
        let found = Self.mutants(in: "# a\n\nrule: b\nfile: c\n-d\n-  e\n+f\n")
        #expect(found.map(\.rule) == ["b"])
        #expect(found.map(\.file) == ["c"])
        #expect(found.map(\.old) == ["d\n  e\n"])
        #expect(found.map(\.new) == ["f\n"])
    }
}
