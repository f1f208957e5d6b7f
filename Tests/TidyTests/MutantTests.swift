internal import Foundation
internal import Testing

/// The rules that `make mutants` breaks stand where its list says, so that it does not rot between two runs.
@Suite struct MutantTests {
    /// A rule of the list, and the text that is replaced.
    struct Mutant {
        var rule: Substring?
        var file: Substring?
        var old = ""
    }

    static func mutants(in text: String) -> [Mutant] {
        text.components(separatedBy: "\n\n").map { block in
            var mutant = Mutant()
            for line in block.split(separator: "\n") {
                if line.hasPrefix("rule: ") { mutant.rule = line.dropFirst(6) }
                if line.hasPrefix("file: ") { mutant.file = line.dropFirst(6) }
                if line.hasPrefix("-") { mutant.old += line.dropFirst() + "\n" }
            }
            return mutant
        }.filter { $0.rule != nil }
    }

    @Test func everyTextThatIsReplacedStandsOnceInItsFile() throws {
        let list = try String(contentsOf: SourceTree.root.appending(path: "dev/mutants.txt"), encoding: .utf8)
        let mutants = Self.mutants(in: list)
        #expect(mutants.count >= 10)
        for mutant in mutants {
            let rule = mutant.rule ?? ""
            let place = SourceTree.root.appending(path: String(try #require(mutant.file, "\(rule) names no file")))
            let text = try String(contentsOf: place, encoding: .utf8)
            let count = mutant.old.isEmpty ? 0 : text.components(separatedBy: mutant.old).count - 1
            #expect(count == 1, "dev/mutants.txt: the text of \"\(rule)\" stands \(count) times in its file")
        }
    }

    @Test func aRuleIsRead() {
        let found = Self.mutants(in: "# a\n\nrule: b\nfile: c\n-d\n-  e\n+f\n")
        #expect(found.map(\.rule) == ["b"])
        #expect(found.map(\.file) == ["c"])
        #expect(found.map(\.old) == ["d\n  e\n"])
    }
}
