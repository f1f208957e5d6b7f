internal import Foundation

/// The repository's files, as the tidy tests read them.
enum SourceTree {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A file with its path from the root.
    struct File: Sendable {
        let path: String
        let text: String
        /// The lines, split once, because splitting takes most of a lint's time.
        let lines: [Substring]

        init(path: String, text: String) {
            self.path = path
            self.text = text
            self.lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        }

        var name: String { String(self.path.split(separator: "/").last ?? "") }

        /// The lines without comments, each with its number from 1.
        var code: [(number: Int, text: Substring)] {
            self.lines.enumerated().compactMap { index, line in
                if line.drop(while: { $0 == " " }).hasPrefix("//") { return nil }
                return (index + 1, line[..<(Self.trailingComment(in: line) ?? line.endIndex)])
            }
        }

        /// The start of a comment after code: the space of ` // `, or of ` # `.
        private static func trailingComment(in line: Substring, after mark: String = "//") -> Substring.Index? {
            let bytes = line.utf8
            var index = bytes.startIndex
            while let first = mark.utf8.first, let slash = bytes[index...].firstIndex(of: first) {
                if slash > bytes.startIndex, bytes[slash...].starts(with: (mark + " ").utf8) {
                    let before = bytes.index(before: slash)
                    if bytes[before] == UInt8(ascii: " ") { return before }
                }
                index = bytes.index(after: slash)
            }
            return nil
        }

        /// The comments; consecutive lines are joined to one line, with the number of the first.
        ///
        /// Items of lists, and paragraphs, are separate comments. A quoted text with ` // ` in it counts as a comment.
        /// So does Python's documentation.
        var comments: [(number: Int, text: String)] {
            let isPython = self.path.hasSuffix(".py")
            let mark = isPython ? "#" : "//"
            var comments: [(number: Int, text: String)] = []
            var last = -1
            for (index, line) in (isPython ? Self.withoutQuotes(self.lines) : self.lines).enumerated() {
                let start = line.drop(while: { $0 == " " })
                let behindCode = { Self.trailingComment(in: line, after: mark) }
                guard let slashes = start.hasPrefix(mark) ? start.startIndex : behindCode() else { continue }
                let text = line[slashes...].drop { $0 == mark.first || $0 == " " }
                if isPython, text.hasPrefix("!") { continue }
                let goesOn = last == index - 1 && start.hasPrefix(mark) && !text.hasPrefix("- ") && !text.isEmpty
                if goesOn, let comment = comments.popLast() {
                    comments.append((comment.number, comment.text + " " + text))
                } else if !text.isEmpty {
                    comments.append((index + 1, String(text)))
                }
                last = text.isEmpty ? -1 : index
            }
            return comments
        }

        /// Returns Python lines with docstrings as comments, and with other texts in triple quotes left empty.
        private static func withoutQuotes(_ lines: [Substring]) -> [Substring] {
            var (isQuoted, isDocumentation) = (false, false)
            return lines.map { line in
                let parts = line.split(separator: "\"\"\"", omittingEmptySubsequences: false)
                let start = line.drop(while: { $0 == " " })
                let wasQuoted = isQuoted
                if !wasQuoted { isDocumentation = start.hasPrefix("\"\"\"") }
                if parts.count % 2 == 0 { isQuoted.toggle() }
                guard wasQuoted || parts.count > 1 else { return line }
                guard isDocumentation else { return wasQuoted ? "" : parts[0] }
                let text = wasQuoted ? parts[0] : parts[1]
                return Substring("# " + text.drop(while: { $0 == " " }))
            }
        }
    }

    /// The files in some folders whose names have an ending, optionally with generated code.
    ///
    /// A folder with a manifest is another package, to which these rules do not apply.
    static func files(in folders: [String], ending: String, generated: Bool = false) throws -> [File] {
        try folders.flatMap { folder in
            let base = self.root.appending(path: folder)
            let names = try FileManager.default.subpathsOfDirectory(atPath: base.path(percentEncoded: false))
            let others = names.filter { $0.hasSuffix("/Package.swift") }.map { $0.dropLast("Package.swift".count) }
            return try names.filter { name in !others.contains { name.hasPrefix($0) } }.filter {
                $0.hasSuffix(ending) && (generated || !$0.hasSuffix(".pb.swift")) && !$0.hasPrefix(".build/")
            }
            .sorted().map { name in
                File(
                    path: folder == "." ? name : "\(folder)/\(name)",
                    text: try String(contentsOf: base.appending(path: name), encoding: .utf8)
                )
            }
        }
    }

    /// A file, by its path from the root.
    static func file(_ path: String) throws -> File {
        File(path: path, text: try String(contentsOf: self.root.appending(path: path), encoding: .utf8))
    }

    /// The documents: those in the root folder, all in `docs`, and the page of each folder of `Sources`.
    static func documents() throws -> [File] {
        let names = try FileManager.default.contentsOfDirectory(atPath: self.root.path(percentEncoded: false))
        return try self.files(in: ["docs"], ending: ".md") + self.files(in: ["Sources"], ending: "README.md")
            + names.filter { $0.hasSuffix(".md") }.sorted().map { try self.file($0) }
    }

    /// The folders of `Sources`; each has a page.
    static func wings() throws -> [String] {
        let sources = self.root.appending(path: "Sources").path(percentEncoded: false)
        return try FileManager.default.contentsOfDirectory(atPath: sources).sorted()
    }
}
