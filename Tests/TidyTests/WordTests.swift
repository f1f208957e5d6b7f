internal import Foundation
internal import Testing

/// Goal: comments, documents, help and errors contain no word of `dev/words.tsv`.
@Suite struct WordTests {
    /// A row of the list.
    struct Rule: Sendable {
        let pattern: NSRegularExpression
        let reason: String
        let replacement: String

        init(_ row: Substring) throws {
            let cells = row.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(cells.count == 3 && !cells.contains(""), "dev/words.tsv: expected three cells: \(row)")
            self.pattern = try NSRegularExpression(pattern: cells[0], options: .anchorsMatchLines)
            self.reason = cells[1]
            self.replacement = cells[2]
        }

        /// The matches in lines of text, each with the number of its line from 0.
        func hits(in text: String) -> [(line: Int, words: Substring)] {
            self.pattern.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
                Range(match.range, in: text).map { range in
                    (text[..<range.lowerBound].count { $0 == "\n" }, text[range])
                }
            }
        }
    }

    static func rules() throws -> [Rule] {
        try SourceTree.file("dev/words.tsv").lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map(Rule.init)
    }

    // MARK: Prose

    /// A piece of text that a person reads, and the number of its first line.
    struct Piece: Sendable {
        let number: Int
        let text: String

        init(_ number: Int, _ text: String) {
            self.number = number
            self.text = text
        }
    }

    /// The comments of a code file, and its quoted texts of more than one word; these include help and errors.
    static func prose(ofCode file: SourceTree.File, texts: Bool) -> [Piece] {
        var pieces = file.comments.map { Piece($0.number, $0.text) }
        guard texts else { return pieces }
        // The current text in triple quotes.
        var block: Piece?
        for (number, line) in file.code {
            if line.ranges(of: "\"\"\"").count % 2 == 1 {
                if let block { pieces.append(block) }
                block = block == nil ? Piece(number + 1, "") : nil
            } else if let before = block {
                let words = line.trimmingCharacters(in: CharacterSet(charactersIn: " \\"))
                let space = before.text.isEmpty || words.isEmpty ? "" : " "
                block = Piece(before.number, before.text + space + words)
            } else if line.contains("\"") {
                let quoted = line.matches(of: /"((?:[^"\\]|\\.)*)"/).map { Piece(number, String($0.output.1)) }
                pieces += quoted.filter { $0.text.contains(" ") }
            }
        }
        return pieces
    }

    /// The paragraphs and cells of a document, without code.
    static func prose(ofDocument file: SourceTree.File) -> [Piece] {
        var isCode = false
        var pieces: [Piece] = []
        var goesOn = false
        for (index, line) in file.lines.enumerated() {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("```") { isCode.toggle() }
            guard !isCode, !text.isEmpty, !text.hasPrefix("```") else {
                goesOn = false
                continue
            }
            if goesOn, !"|-#".contains(text.first ?? " "), let last = pieces.popLast() {
                pieces.append(Piece(last.number, last.text + " " + text))
            } else {
                let marks = CharacterSet(charactersIn: "|-# ")
                pieces += text.components(separatedBy: " | ").map {
                    Piece(index + 1, $0.trimmingCharacters(in: marks))
                }
            }
            goesOn = !text.hasPrefix("|") && !text.hasPrefix("#")
        }
        return pieces
    }

    /// The comments of a script, a unit or a makefile.
    static func prose(ofScript file: SourceTree.File) -> [Piece] {
        file.lines.enumerated().compactMap { index, line in
            line.firstMatch(of: /(?:^|[ \t])#+ (.+)$/).map { Piece(index + 1, String($0.output.1)) }
        }
    }

    /// The matches of a list in a text, each with its replacement; names in backquotes are ignored.
    static func found(_ rules: [Rule], in pieces: [Piece], of path: String) -> [String] {
        let lines = pieces.map { $0.text.contains("`") ? $0.text.replacing(/`+[^`]*`+/, with: "X") : $0.text }
        let text = lines.joined(separator: "\n")
        return rules.flatMap { rule in
            rule.hits(in: text).map { line, words in
                "\(path):\(pieces[line].number): '\(words)': \(rule.reason); write: \(rule.replacement)"
            }
        }
    }

    /// A file and its prose.
    struct Prose {
        let path: String
        let pieces: [Piece]
    }

    /// All texts of the project that people read, file by file.
    static func everything() throws -> [Prose] {
        let folders = ["Sources", "Tools", "Examples", "Benchmarks", "Tests"]
        var code = try [".swift", ".c", ".h", ".proto"].flatMap { try SourceTree.files(in: folders, ending: $0) }
        code += try SourceTree.files(in: folders + ["dev"], ending: ".py")
        var texts = code.map {
            Prose(path: $0.path, pieces: Self.prose(ofCode: $0, texts: !$0.path.hasPrefix("Tests/")))
        }
        let guides = try SourceTree.files(in: ["Sources"], ending: ".md").filter { $0.name != "README.md" }
        texts += (try SourceTree.documents() + guides).map { Prose(path: $0.path, pieces: Self.prose(ofDocument: $0)) }
        let dev = try FileManager.default.contentsOfDirectory(atPath: SourceTree.root.appending(path: "dev").path)
        var scripts = try (["Makefile"] + dev.filter { !$0.contains(".") && !$0.hasPrefix("_") }.map { "dev/\($0)" })
            .map(SourceTree.file)
        scripts += try [".service", ".socket", ".toml"].flatMap { try SourceTree.files(in: ["packaging"], ending: $0) }
        return texts + scripts.map { Prose(path: $0.path, pieces: Self.prose(ofScript: $0)) }
    }

    @Test func noTextUsesAWordOfTheList() throws {
        let rules = try Self.rules()
        let texts = try Self.everything()
        #expect(texts.count > 1000 && texts.reduce(0) { $0 + $1.pieces.count } > 20_000)
        let found = texts.flatMap { Self.found(rules, in: $0.pieces, of: $0.path) }
        #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
    }

    // MARK: The rule itself

    /// Sentences that were in this tree.
    ///
    /// Each is found, and each rule finds one.
    private static let bad = [
        "Begins anew with the next fix.", "Handed to whoever looks.", "There are two files; hence the name.",
        "A stranger shall not have all threads.", "The operator mends it.", "When the next ping is due.",
        "Stored at once; else it is lost.", "A grant of theirs no longer holds.", "The request came to its end.",
        "Waits until so many came.", "A peer that vanishes without a word.", "The server has the word.",
        "The device is asked in vain.", "It would wait for ever.", "The app is told of a crossing.",
        "The client hears the answer.", "The name is not to be had.", "It is to be called at once.",
        "The sentence is none of them.", "It has some 400 bytes.", "And nothing is lost that was acknowledged.",
        "Those that Apple took.", "Ends it. One that waits is dropped.", "What waits is dropped.",
        "Ends it. Whose connection it is.", "MARK: What comes", "Nobody knows.", "None are read until this instant.",
        "Stored in the place of a token.", "The least time between fixes.", "An empty text is no number.",
    ]

    /// Correct sentences with words similar to those of the list.
    private static let good = [
        "What comes next? The queue keeps the waiting pushes.",
        "It waits so long that the client gives up.", "Some old formats have no sign.", "The overdue push is sent.",
        "An else branch ends the function.", "If there is no number, it returns.",
        "One device answers at a time.", "That is an error.", "The client hears from the server.",
        "Anyone you approve can see your position each time they ask.", "The gateway closes the link.",
    ]

    @Test(arguments: bad) func aBadSentenceIsFound(_ text: String) throws {
        #expect(try !Self.found(Self.rules(), in: [Piece(1, text)], of: "a").isEmpty)
    }

    @Test(arguments: good) func aGoodSentenceIsNotFound(_ text: String) throws {
        #expect(try Self.found(Self.rules(), in: [Piece(1, text)], of: "a") == [])
    }

    @Test func everyRowFindsASentence() throws {
        for rule in try Self.rules() {
            #expect(Self.bad.contains { !rule.hits(in: $0).isEmpty }, "no bad sentence has \(rule.pattern.pattern)")
        }
    }

    @Test func proseIsCommentsAndTextsAndNotCode() {
        let lines = [
            "// What waits.", #"let name = "else", text = "say it anew" // `anew`, behind code"#, #"let help = """"#,
            "    What comes.", #"    """"#,
        ]
        let text = lines.joined(separator: "\n")
        let code = SourceTree.File(path: "a.swift", text: text)
        let pieces = Self.prose(ofCode: code, texts: true)
        #expect(pieces.map(\.text) == ["What waits.", "`anew`, behind code", "say it anew", "What comes."])
        #expect(pieces.map(\.number) == [1, 2, 2, 4])
        #expect(Self.prose(ofCode: code, texts: false).count == 2)
        let document = SourceTree.File(
            path: "a.md",
            text: "# One\n\nTwo `x`\nthree.\n| four | five |\n```\nsix\n```\n- seven\n"
        )
        #expect(Self.prose(ofDocument: document).map(\.text) == ["One", "Two `x` three.", "four", "five", "seven"])
        let script = SourceTree.File(path: "Makefile", text: "a: b ## Do it\n\tc # d\ne\n")
        #expect(Self.prose(ofScript: script).map(\.text) == ["Do it", "d"])
    }
}
