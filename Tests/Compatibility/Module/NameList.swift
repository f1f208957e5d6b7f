/// Apple's names, as the list in the repository has them.
public struct NameList: Sendable {
    /// A name, and what must be true of it.
    public struct Entry: Sendable, Hashable, CustomStringConvertible {
        /// The kind of declaration: `class`, `method`, `conformance` and so on.
        public let kind: String
        /// The name with the types around it; `Type: Protocol` for conformances.
        public let name: String
        /// A part of the declaration; with `$` behind it, its end.
        public let part: String

        /// A text for people.
        public var description: String { "\(self.kind) \(self.name)\(self.part.isEmpty ? "" : " … \(self.part)")" }
    }

    /// A line that is not an entry.
    public struct BadLine: Error, Hashable, CustomStringConvertible {
        let number: Int
        let line: String

        /// The line and the rule.
        public var description: String {
            "line \(self.number) of the list of names is '\(self.line)'; a line is a kind, a name and perhaps a part "
                + "of the declaration, with tabs between"
        }
    }

    /// All names.
    public let entries: [Entry]

    /// Reads a list; `#` begins a comment.
    public init(_ text: String) throws(BadLine) {
        var entries: [Entry] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty && !line.hasPrefix("#") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard (2...3).contains(fields.count), !fields[0].isEmpty, !fields[1].isEmpty else {
                throw BadLine(number: index + 1, line: String(line))
            }
            entries.append(Entry(kind: fields[0], name: fields[1], part: fields.count == 3 ? fields[2] : ""))
        }
        self.entries = entries
    }
}
