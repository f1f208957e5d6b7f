internal import Foundation
internal import Testing

/// Goal: ADRs have their fields and fit on one screen, their index is up to date, and every cited ADR exists.
@Suite struct DecisionTests {
    /// A page of 220 words fits on one screen.
    static let wordsMax = 220
    static let summaryWordsMax = 15
    static let areas: Set<String> = [
        "device", "client", "push", "sharing", "testing", "desktop", "build", "security", "project",
    ]

    /// The header of an ADR: its first three paragraphs.
    struct Header {
        var number: String
        var title: String
        var summary: String
        var status: String?
        var date: String?
        var area: String?

        init?(_ page: SourceTree.File) {
            let paragraphs = page.text.split(separator: "\n\n").map { $0.replacing("\n", with: " ") }
            guard paragraphs.count > 2, let title = paragraphs[0].wholeMatch(of: /# (\d{4}) (.+)/)?.output,
                let summary = paragraphs[2].wholeMatch(of: /\*\*Summary\*\* (.+)/)?.output.1
            else { return nil }
            self.number = String(title.1)
            self.title = String(title.2)
            self.summary = String(summary)
            let fields = paragraphs[1].replacing(/\[(\d{4})\]\([^)]*\)/, with: { $0.output.1 })
            self.status = fields.firstMatch(of: /\*\*Status\*\* ([^·]+?)(?: ·|$)/).map { String($0.output.1) }
            self.date = fields.firstMatch(of: /\*\*Date\*\* (\d{4}-\d{2}-\d{2})\b/).map { String($0.output.1) }
            self.area = fields.firstMatch(of: /\*\*Area\*\* ([^·]+?)(?: ·|$)/).map { String($0.output.1) }
        }
    }

    static func complaints(_ page: SourceTree.File) -> [String] {
        guard let header = Header(page) else {
            return ["\(page.path): write a title (`# NNNN Title`), the fields, and a `**Summary**`, a paragraph each"]
        }
        var found: [String] = []
        if header.number != page.name.prefix(4) { found.append("the title has another number than the file") }
        let status = header.status ?? ""
        if status.firstMatch(of: /^(?:Proposed|Accepted|Superseded)\b/) == nil {
            found.append("`**Status**` must be Proposed, Accepted or Superseded")
        }
        if status.hasPrefix("Superseded"), status.firstMatch(of: /\b\d{4}\b/) == nil {
            found.append("`**Status**` must name the ADR that supersedes this one")
        }
        if header.date == nil { found.append("`**Date**` is missing") }
        if !Self.areas.contains(header.area ?? "") {
            found.append("`**Area**` must be one of \(Self.areas.sorted().joined(separator: ", "))")
        }
        if Self.words(header.summary) > Self.summaryWordsMax {
            found.append("the summary is longer than \(Self.summaryWordsMax) words")
        }
        if !status.hasPrefix("Superseded") {
            for section in ["Context", "Decision"] where !page.text.contains("\n\n**\(section)** ") {
                found.append("`**\(section)**` is missing")
            }
        }
        let words = Self.words(page.text)
        if words > Self.wordsMax { found.append("\(words) words; at most \(Self.wordsMax)") }
        return found.map { "\(page.path): \($0)" }
    }

    static func words(_ text: String) -> Int { text.split(whereSeparator: \.isWhitespace).count }

    static func pages() throws -> [SourceTree.File] {
        try SourceTree.files(in: ["docs/adr"], ending: ".md").filter { $0.name != "README.md" }
            .sorted { $0.name < $1.name }
    }

    /// The rows of the index, as `dev/adr-index` writes them.
    static func index(of pages: [SourceTree.File]) -> [String] {
        pages.compactMap { page in
            Header(page).map { header in
                "| [\(header.number)](\(page.name)) | \(header.title) | \(header.summary) "
                    + "| \(header.status ?? "") | \(header.area ?? "") |"
            }
        }
    }

    @Test func everyDecisionHasItsFieldsAndFitsOnOneScreen() throws {
        let pages = try Self.pages()
        #expect(pages.count > 25)
        let complaints = pages.flatMap(Self.complaints)
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func theIndexIsWhatTheDecisionsSay() throws {
        let rows = try SourceTree.file("docs/adr/README.md").lines.filter { $0.hasPrefix("| [") }.map(String.init)
        #expect(rows == Self.index(of: try Self.pages()), "docs/adr/README.md is out of date: run dev/adr-index")
    }

    @Test func noTwoDecisionsHaveOneNumber() throws {
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

    @Test func aDecisionWithoutItsFieldsIsFound() {
        func page(_ text: String) -> SourceTree.File { SourceTree.File(path: "docs/adr/0001-a.md", text: text) }
        #expect(Self.complaints(page("# 0001 A\n")).count == 1)
        let long = String(repeating: "word ", count: 220)
        let bad = page("# 0002 A\n\n**Status** Superseded · **Area** sea\n\n**Summary** \(long)\n")
        #expect(Self.complaints(bad).count == 6)
        #expect(Self.complaints(page("# 0001 A\n\n**Status** Draft\n\n**Summary** A.\n")).count == 5)
        let good = page(
            """
            # 0001 A

            **Status** Accepted; the limit superseded by [0002](0002-a-name-so-long-that-the-fields-wrap.md) ·
            **Date** 2026-01-02 · **Area** push

            **Summary** It does
            this.

            **Context** Why.

            **Decision** How.
            """
        )
        #expect(Self.complaints(good).isEmpty)
        #expect(
            Self.index(of: [good]) == [
                "| [0001](0001-a.md) | A | It does this. | Accepted; the limit superseded by 0002 | push |"
            ]
        )
    }
}
