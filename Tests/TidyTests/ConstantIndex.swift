/// The constants in the sources that are declared with a literal number: `30 * 86_400`, `1 << 20`, `.seconds(600)`.
struct ConstantIndex {
    struct Constant {
        /// The wing, the target, and the types that the file declares or extends: the possible qualifiers.
        let owners: Set<String>
        let name: String
        /// Durations are seconds.
        let value: Double
        let path: String
        let line: Int
    }

    let all: [Constant]

    init(_ files: [SourceTree.File]) {
        self.all = files.flatMap(Self.constants)
    }

    /// Finds a constant by a qualified name in a document, such as `Policy.lifetimeMax`.
    func found(_ name: String) -> [Constant] {
        let parts = name.split(separator: ".").map(String.init)
        return self.all.filter { $0.name == parts.last && $0.owners.isSuperset(of: parts.dropLast()) }
    }

    private static func constants(in file: SourceTree.File) -> [Constant] {
        let types = /\b(?:struct|enum|class|actor|protocol|extension) +([\w.]+)/.matchingSemantics(.unicodeScalar)
        // A property, a computed one in one line, or a parameter with a default.
        let declaration = /(?:\b(?:let|var) +|^ +)(\w+)(?:: *[\w.]+)? +(?:=|\{) +([^{}]+?)(?: +\})?,?$/
            .matchingSemantics(.unicodeScalar)
        let code = file.code
        let names = code.filter { $0.text.utf8.contains(UInt8(ascii: "{")) }.flatMap { line in
            line.text.matches(of: types).flatMap { $0.output.1.split(separator: ".") }
        }
        let folders = file.path.split(separator: "/")
        let wingAndTarget = folders.dropFirst().prefix(folders.first == "Sources" ? 2 : 1)
        let owners = Set((names + wingAndTarget).map(String.init))
        return code.compactMap { number, text in
            // Most lines are rejected without the regular expressions, which take seconds for all of them.
            guard text.utf8.contains(where: { (0x30...0x39).contains($0) }),
                let match = text.firstMatch(of: declaration), let value = Self.value(match.output.2)
            else {
                return nil
            }
            return Constant(
                owners: owners,
                name: String(match.output.1),
                value: value,
                path: file.path,
                line: number
            )
        }
    }

    /// The value of an expression; nil if it is not a simple one.
    static func value(_ expression: Substring) -> Double? {
        if let duration = expression.wholeMatch(of: /(?:Duration)?\.(seconds|milliseconds|minutes|hours)\(([^()]+)\)/) {
            let units = ["milliseconds": 0.001, "seconds": 1, "minutes": 60, "hours": 3600]
            guard let count = self.value(duration.output.2), let unit = units[String(duration.output.1)] else {
                return nil
            }
            return count * unit
        }
        let parts = expression.split(separator: " ")
        guard let first = parts.first, let start = Double(first.filter { $0 != "_" }), parts.count % 2 == 1 else {
            return nil
        }
        return stride(from: 1, to: parts.count, by: 2).reduce(start) { (total: Double?, index) in
            guard let total, let next = Double(parts[index + 1].filter { $0 != "_" }) else { return nil }
            return switch parts[index] {
            case "*": total * next
            case "<<": Double(Int(total) << Int(next))
            case "-": total - next
            case "+": total + next
            default: nil
            }
        }
    }
}
