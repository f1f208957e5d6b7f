internal import Foundation
internal import Testing

/// Goal: the documents name only things that exist.
@Suite struct DocumentTests {
    /// The paths of this repository that a document names in code or in links.
    static func paths(in text: String) -> [String] {
        let pattern =
            /(?:`|\]\()((?:Sources|Tools|Tests|Examples|Benchmarks|docs|dev|packaging)\/[A-Za-z0-9_.\/+-]*)(?:`|\)|#| )/
        return text.matches(of: pattern).map { String($0.output.1) }
    }

    @Test func everyPathThatADocumentNamesExists() throws {
        for document in try SourceTree.documents() {
            for path in Self.paths(in: document.text) {
                let place = SourceTree.root.appending(path: path).path(percentEncoded: false)
                #expect(FileManager.default.fileExists(atPath: place), "\(document.path) names \(path)")
            }
        }
    }

    /// The other documents that a document links to, relative to its own folder.
    static func links(in text: String) -> [String] {
        text.matches(of: /\]\(([^)#: ]+)(?:#[^)]*)?\)/).map { String($0.output.1) }
    }

    @Test func everyLinkLeadsSomewhere() throws {
        for document in try SourceTree.documents() {
            let folder = SourceTree.root.appending(path: document.path).deletingLastPathComponent()
            for link in Self.links(in: document.text) {
                let place = folder.appending(path: link).standardized.path(percentEncoded: false)
                #expect(FileManager.default.fileExists(atPath: place), "\(document.path) links to \(link)")
            }
        }
    }

    /// Goal: a reader finds every page from the index; ADRs have their own index.
    @Test func everyPageIsInTheIndex() throws {
        let index = Set(Self.links(in: try SourceTree.file("docs/README.md").text))
        for document in try SourceTree.documents() where document.path.hasPrefix("docs/") {
            let page = String(document.path.dropFirst("docs/".count))
            let isDecision = page.hasPrefix("adr/") && page != "adr/README.md"
            guard !isDecision, page != "README.md" else { continue }
            #expect(index.contains(page), "docs/README.md does not link \(page)")
        }
    }

    /// Goal: each page of a folder of `Sources` lists all targets of the folder, and fits on a screen.
    @Test func everyWingHasAPageWithItsTargets() throws {
        for wing in try SourceTree.wings() {
            let page = try SourceTree.file("Sources/\(wing)/README.md")
            #expect(page.lines.count <= 50, "\(page.path) has \(page.lines.count) lines")
            let folder = SourceTree.root.appending(path: "Sources/\(wing)").path(percentEncoded: false)
            let targets = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.contains(".") }
            #expect(!targets.isEmpty)
            for target in targets { #expect(page.text.contains("`\(target)`"), "\(page.path) lacks \(target)") }
        }
    }

    /// Goal: the recording of the demo has the same texts as the demo.
    @Test func theRecordedDemoHasTheDemosSteps() throws {
        let picture = try SourceTree.file("docs/pictures/demo.svg").text.replacing("&#x27;", with: "'")
        let steps = try SourceTree.file("Tools/demo/Demo.swift").text.matches(of: /(?:step|refused)\("([^"]+)"/)
        #expect(steps.count > 8)
        for step in steps {
            #expect(picture.contains(">\(step.output.1)<"), "the picture lacks '\(step.output.1)'; use make pictures")
        }
    }

    /// The targets that a document tells people to `make`, in code.
    static func verbs(in text: String) -> Set<String> {
        Set(text.matches(of: /(?:`|\n)make ([a-z][a-z-]*)/).map { String($0.output.1) })
    }

    @Test func everyVerbThatADocumentNamesIsInTheMakefile() throws {
        let makefile = try SourceTree.file("Makefile").text
        #expect(Self.verbs(in: try SourceTree.file("README.md").text).isSuperset(of: ["demo", "test"]))
        for document in try SourceTree.documents() {
            for verb in Self.verbs(in: document.text) {
                #expect(makefile.contains("\n\(verb):"), "\(document.path) says make \(verb)")
            }
        }
    }

    @Test func theRuleSeesCodeAndLinks() {
        #expect(
            Self.paths(in: "see `docs/adr/0001.md` and [b](Sources/B) but not other/c") == [
                "docs/adr/0001.md", "Sources/B",
            ]
        )
        #expect(Self.links(in: "[a](../b.md#c), [d](https://e) and [f](g.md)") == ["../b.md", "g.md"])
        #expect(Self.verbs(in: "make room\nmake test `make bench NAME=a`") == ["test", "bench"])
    }
}
