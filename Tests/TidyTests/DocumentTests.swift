internal import Foundation
internal import Testing

/// The documents name only what exists.
@Suite struct DocumentTests {
    /// The paths of this repository that a document names in code or in links.
    static func paths(in text: String) -> [String] {
        let pattern =
            /(?:`|\]\()((?:Sources|Tests|Examples|Benchmarks|docs|dev|packaging)\/[A-Za-z0-9_.\/+-]*)(?:`|\)|#| )/
        return text.matches(of: pattern).map { String($0.output.1) }
    }

    @Test func everyPathThatADocumentNamesExists() throws {
        let documents =
            try SourceTree.files(in: ["docs"], ending: ".md")
            + ["README.md", "CHANGELOG.md"].map { name in
                SourceTree.File(
                    path: name,
                    text: try String(contentsOf: SourceTree.root.appending(path: name), encoding: .utf8)
                )
            }
        for document in documents {
            for path in Self.paths(in: document.text) {
                let place = SourceTree.root.appending(path: path).path(percentEncoded: false)
                #expect(FileManager.default.fileExists(atPath: place), "\(document.path) names \(path)")
            }
        }
    }

    @Test func everyVerbTheReadmeNamesIsInTheMakefile() throws {
        let readme = try String(contentsOf: SourceTree.root.appending(path: "README.md"), encoding: .utf8)
        let makefile = try String(contentsOf: SourceTree.root.appending(path: "Makefile"), encoding: .utf8)
        let verbs = Set(readme.matches(of: /make ([a-z]+)/).map { String($0.output.1) })
        #expect(verbs.isSuperset(of: ["demo", "test"]))
        for verb in verbs { #expect(makefile.contains("\n\(verb):"), "the README says make \(verb)") }
    }

    @Test func theRuleSeesCodeAndLinks() {
        #expect(
            Self.paths(in: "see `docs/adr/0001.md` and [b](Sources/B) but not other/c") == [
                "docs/adr/0001.md", "Sources/B",
            ]
        )
    }
}
