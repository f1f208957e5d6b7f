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
        /// The raw value of a case, or the value of a constant.
        public let rawValue: String
        /// The default of an argument, or the value that a property begins with.
        public let defaultValue: String
        /// `yes` or `no` for a type; `@Sendable` for a method's completion.
        public let sendability: String
        /// `actor` for a member that needs `await`; `preconcurrency`.
        public let isolation: String

        /// A text for people.
        public var description: String { "\(self.kind) \(self.name)\(self.part.isEmpty ? "" : " … \(self.part)")" }

        fileprivate init?(_ line: Substring) {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard (2...7).contains(fields.count), !fields[0].isEmpty, !fields[1].isEmpty else { return nil }
            func field(_ index: Int) -> String { index < fields.count ? fields[index] : "" }
            (self.kind, self.name, self.part) = (field(0), field(1), field(2))
            (self.rawValue, self.defaultValue) = (field(3), field(4))
            (self.sendability, self.isolation) = (field(5), field(6))
            guard ["", "yes", "no", "@Sendable"].contains(self.sendability),
                ["", "actor", "preconcurrency"].contains(self.isolation)
            else { return nil }
        }
    }

    /// A line that is not an entry.
    public struct BadLine: Error, Hashable, CustomStringConvertible {
        let number: Int
        let line: String

        /// The line and the rule.
        public var description: String {
            "line \(self.number) of the list of names is '\(self.line)'; a line is a kind, a name and perhaps a part "
                + "of the declaration, a raw value, a default, sendability and isolation, with tabs between"
        }
    }

    /// All names.
    public let entries: [Entry]

    /// Reads a list; `#` begins a comment.
    public init(_ text: String) throws(BadLine) {
        var entries: [Entry] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty && !line.hasPrefix("#") {
            guard let entry = Entry(line) else { throw BadLine(number: index + 1, line: String(line)) }
            entries.append(entry)
        }
        self.entries = entries
    }
}
