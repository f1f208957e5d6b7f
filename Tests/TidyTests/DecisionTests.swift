internal import Foundation
internal import Testing

/// The pages of decisions have their form, and the words in documents and comments that name one name one that is there.
@Suite struct DecisionTests {
    static func complaints(_ page: SourceTree.File) -> [String] {
        var found: [String] = []
        let text = page.text
        let status = text.firstMatch(of: /(?:\*\*Status\*\*|Status:) ([^·\n]+)/)?.output.1 ?? ""
        if status.wholeMatch(of: /(?:Proposed|Accepted|Superseded)\b.*/) == nil {
            found.append("no status of Proposed, Accepted or Superseded")
        }
        let isSuperseded = status.lowercased().contains("superseded")
        if isSuperseded, status.firstMatch(of: /\b\d{4}\b|amendment/) == nil {
            found.append("superseded, without the page that did it")
        }
        if isSuperseded, status.contains("amendment"), !text.contains("\n## Amendment") {
            found.append("superseded by an amendment that is not there")
        }
        if text.firstMatch(of: /(?:\*\*Date\*\*|Date:) \d{4}-\d{2}-\d{2}\b/) == nil { found.append("no date") }
        if text.firstMatch(of: /(?:\n## |\*\*)How we will notice it was wrong/) == nil {
            found.append("no `How we will notice it was wrong`")
        }
        if !text.hasPrefix("# \(page.name.prefix(4)) ") { found.append("its title does not begin with its number") }
        return found.map { "\(page.path): \($0)" }
    }

    static func pages() throws -> [SourceTree.File] {
        try SourceTree.files(in: ["docs/adr"], ending: ".md").filter { $0.name != "README.md" }
    }

    @Test func everyPageHasStatusDateAndHowWeWillNotice() throws {
        let pages = try Self.pages()
        #expect(pages.count > 25)
        let complaints = pages.flatMap(Self.complaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func noTwoPagesHaveOneNumber() throws {
        let numbers = try Self.pages().map { $0.name.prefix(4) }
        #expect(Set(numbers).count == numbers.count)
    }

    @Test func everyDecisionThatIsNamedIsThere() throws {
        let numbers = Set(try Self.pages().map { String($0.name.prefix(4)) })
        for document in try SourceTree.documents() {
            for match in document.text.matches(of: /ADR (\d{4})/) {
                #expect(numbers.contains(String(match.output.1)), "\(document.path) names \(match.output.0)")
            }
        }
        for file in try CommentTests.commented() {
            for comment in file.comments {
                for match in comment.text.matches(of: /ADR (\d{4})/) {
                    let name = String(match.output.1)
                    #expect(numbers.contains(name), "\(file.path):\(comment.number) names \(match.output.0)")
                }
            }
        }
    }

    @Test func aPageWithoutItsPartsIsFound() {
        let bare = SourceTree.File(path: "docs/adr/0001-a.md", text: "# 0002 A\n\n**Status** Superseded\n")
        #expect(Self.complaints(bare).count == 4)
        let good = SourceTree.File(
            path: "docs/adr/0001-a.md",
            text: """
                # 0001 A

                **Status** Superseded by 0002 · **Date** 2026-01-02

                ## How we will notice it was wrong
                """
        )
        #expect(Self.complaints(good).isEmpty)
    }
}
