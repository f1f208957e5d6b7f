internal import Foundation

extension SourceTree {
    /// A function with a body, in the layout of `swift format`.
    struct Function: Sendable {
        let name: String
        /// The number of its first line, from 1.
        let number: Int
        /// The lines from its declaration to its last brace.
        let lineCount: Int
    }
}

extension SourceTree.File {
    /// The functions and initialisers that have a body.
    var functions: [SourceTree.Function] {
        self.lines.indices.compactMap { start in
            guard let name = Self.declaredFunction(in: self.lines[start]) else { return nil }
            let indent = Self.indent(of: self.lines[start])
            guard let end = self.end(ofDeclarationAt: start, indent: indent) else { return nil }
            return SourceTree.Function(name: name, number: start + 1, lineCount: end - start + 1)
        }
    }

    /// The name of the function that a line declares, after attributes and modifiers.
    private static func declaredFunction(in line: Substring) -> String? {
        // Most lines are rejected without examining each word.
        guard line.contains("func ") || line.contains("init") else { return nil }
        var rest = line.drop { $0 == " " }
        while !rest.isEmpty {
            if rest.hasPrefix("func ") {
                return String(rest.dropFirst("func ".count).prefix { !" (<".contains($0) })
            }
            for name in ["init", "deinit"] where ["(", "<", "?", " {"].contains(where: { rest.hasPrefix(name + $0) }) {
                return name
            }
            let isAttribute = rest.hasPrefix("@")
            let word = rest.prefix { $0 != " " && $0 != "(" }
            guard isAttribute || word.allSatisfy({ $0.isLowercase }) else { return nil }
            rest = rest[word.endIndex...]
            if rest.hasPrefix("(") {
                // For example `private(set)` or `@Test(arguments: [1])`; the arguments of an attribute may contain
                // anything.
                guard let close = isAttribute ? rest.range(of: ") ")?.lowerBound : rest.firstIndex(of: ")") else {
                    return nil
                }
                rest = rest[close...].dropFirst()
            }
            guard rest.hasPrefix(" ") else { return nil }
            rest = rest.drop { $0 == " " }
        }
        return nil
    }

    private static func indent(of line: Substring) -> Int { line.prefix { $0 == " " }.count }

    /// The index of the line that closes a body; nil: the declaration has none.
    private func end(ofDeclarationAt start: Int, indent: Int) -> Int? {
        let first = self.lines[start]
        if first.hasSuffix("}") && first.contains("{") { return start }
        for index in self.lines.indices[(start + 1)...] {
            let line = self.lines[index]
            let depth = Self.indent(of: line)
            guard depth <= indent, depth < line.count else { continue }
            let rest = line.dropFirst(depth)
            if depth == indent, rest.hasPrefix("}") { return index }
            // Lines with the same indentation are the rest of a signature, the opening brace, and compiler directives.
            let goesOn = [")", "{", "where ", "#"].contains { rest.hasPrefix($0) }
            if depth < indent && !rest.hasPrefix("#") || !goesOn { return nil }
        }
        return nil
    }
}
