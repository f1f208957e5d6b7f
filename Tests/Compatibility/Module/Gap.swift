public import Foundation

/// The gap between a module and a list of names, in both directions.
public struct Gap: Sendable {
    /// The number of names in the list.
    public let count: Int
    /// The entries that the module does not meet.
    public let missing: [NameList.Entry]
    /// The missing ones that the document does not name.
    public let unexplained: [NameList.Entry]
    /// The names the document tells as left out, although nothing of that name is missing.
    public let stale: [String]
    /// The module's own names that neither the list nor the document has.
    public let strangers: [String]

    /// Compares a module with a list of names.
    ///
    /// - Parameters:
    ///   - module: the module.
    ///   - names: the names that it should have.
    ///   - document: `docs/compatibility.md`: the first column of its tables "Left out" and "Beyond Apple's" counts.
    public init(_ module: SymbolGraph, _ names: NameList, document: String) {
        let leftOut = Self.names(in: document, below: "## Left out")
        let beyond = Self.names(in: document, below: "## Beyond Apple's")
        let byName = Dictionary(grouping: module.symbols, by: \.name)
        self.count = names.entries.count
        self.missing = names.entries.filter { !Self.meets($0, byName, module.conformances) }
        let missing = self.missing
        self.unexplained = missing.filter { entry in !leftOut.contains { Self.covers($0, entry.name) } }
        self.stale = leftOut.filter { name in !missing.contains { Self.covers(name, $0.name) } }
        let known = Set(names.entries.map(\.name))
        let own = Set(module.symbols.filter { $0.isOwn && !Self.isUsual($0) }.map(\.name))
        self.strangers = own.union(Self.conformancesBeyond(names, module.conformances)).filter { name in
            !known.contains(name) && !beyond.contains { Self.covers($0, name) }
        }.sorted()
    }

    /// Compares the module that was built with the repository's list and document.
    ///
    /// - Parameter root: where the repository is.
    /// - Returns: the differences.
    /// - Throws: what cannot be read, or what the compiler says.
    public static func ofRepository(at root: URL) async throws -> Gap {
        func text(_ path: String) throws -> String {
            let file = root.appending(path: path)
            guard let data = FileManager.default.contents(atPath: file.path) else {
                throw BuiltModule.Failure(description: "\(file.path) cannot be read; use make gap in the repository")
            }
            return String(decoding: data, as: UTF8.self)
        }
        return Gap(
            try await BuiltModule().symbolGraph(),
            try NameList(text("docs/core-location-names.tsv")),
            document: try text("docs/compatibility.md")
        )
    }

    /// Whether the document explains every missing name and every other one, and no more.
    public var isClosed: Bool { self.unexplained.isEmpty && self.stale.isEmpty && self.strangers.isEmpty }

    /// The findings, for people; the last line counts.
    public var report: String {
        let explained = Set(self.missing).subtracting(self.unexplained)
        var lines = self.missing.map { "missing: \($0)\(explained.contains($0) ? " (left out with a reason)" : "")" }
        lines += self.stale.map { "not missing: \($0), which docs/compatibility.md says is left out" }
        lines += self.strangers.map { "not Apple's: \($0), which docs/compatibility.md does not name" }
        if !self.unexplained.isEmpty {
            lines.append("Add what is missing, or name it under \"Left out\" in docs/compatibility.md with the reason.")
        }
        lines.append("gap: \(self.missing.count) of \(self.count) missing")
        return lines.joined(separator: "\n")
    }

    private static func meets(
        _ entry: NameList.Entry,
        _ symbols: [String: [SymbolGraph.Symbol]],
        _ conformances: [String: Set<String>]
    ) -> Bool {
        if entry.kind.hasSuffix("conformance") {
            let names = entry.name.components(separatedBy: ": ")
            guard names.count == 2, symbols[names[0]] != nil else { return false }
            let conforms = conformances[names[0]]?.contains(names[1]) ?? false
            return conforms == (entry.kind == "conformance")
        }
        let isSendable = conformances[entry.name]?.contains("Sendable") ?? false
        // A type that is sendable beyond Apple's is a stranger, not missing.
        if entry.sendability == "yes", !isSendable { return false }
        return (symbols[entry.name] ?? []).contains { symbol in
            let declaration = symbol.declaration
            guard symbol.kind == entry.kind, entry.sendability != "@Sendable" || declaration.contains("@Sendable"),
                entry.isolation != "preconcurrency" || declaration.contains("@preconcurrency"),
                entry.isolation != "actor" || !declaration.contains("nonisolated"),
                !entry.kind.hasSuffix("method") || entry.defaultValue.isEmpty
                    || declaration.contains("= \(entry.defaultValue)")
            else { return false }
            if entry.part.isEmpty { return true }
            return entry.part.hasSuffix("$")
                ? declaration.hasSuffix(entry.part.dropLast()) : declaration.contains(entry.part)
        }
    }

    /// The types that are sendable here and not on Apple's platforms, as conformances.
    private static func conformancesBeyond(_ names: NameList, _ conformances: [String: Set<String>]) -> [String] {
        names.entries.filter { entry in
            entry.sendability == "no" && conformances[entry.name]?.contains("Sendable") ?? false
        }.map { "\($0.name): Sendable" }
    }

    /// A name in the document stands for itself and for what is in it.
    private static func covers(_ name: String, _ other: String) -> Bool {
        other == name || other.hasPrefix(name + ".") || other.hasPrefix(name + ": ")
    }

    /// Whether a member is usual: every class or error has it from the protocols it conforms to.
    private static func isUsual(_ symbol: SymbolGraph.Symbol) -> Bool {
        let last = symbol.name.split(separator: ".").last ?? ""
        let usual: Set<Substring> = [
            "~=(_:_:)", "errorDescription", "init(_nsError:)", "_nsErrorDomain", "init(coder:)", "encode(with:)",
            "copy(with:)", "supportsSecureCoding", "hash(into:)", "==(_:_:)",
            "!=(_:_:)",
            "Failure", "next(isolation:)", "unownedExecutor", "hashValue",
        ]
        return usual.contains(last) || symbol.declaration.contains("override ")
    }

    /// The names in code marks in the first column of the table below a heading.
    static func names(in document: String, below heading: String) -> [String] {
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0 == heading }) else { return [] }
        let section = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        return section.filter { $0.hasPrefix("| `") }.flatMap { line in
            let column = line.dropFirst(2).prefix { $0 != "|" }
            return column.split(separator: "`").map(String.init).filter { $0.contains { !" ,".contains($0) } }
        }
    }
}
