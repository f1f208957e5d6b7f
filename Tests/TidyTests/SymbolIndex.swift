internal import Foundation

/// The names declared in the sources, with the argument labels of functions, to check links in comments.
struct SymbolIndex {
    private let modules: Set<String>
    /// All names, no matter which module declares them.
    private var names: Set<String> = []
    /// The names by target, and functions with their labels.
    private var members: [String: Set<String>] = [:]
    private var functions: Set<String> = []
    private var labelled: Set<String> = []

    /// Reads declarations.
    ///
    /// - Parameters:
    ///   - files: Swift sources.
    ///   - modules: the modules that links may begin with.
    ///   - target: the target of a path.
    init(_ files: [SourceTree.File], modules: [String], target: (String) -> String) {
        self.modules = Set(modules)
        let words = /\b(?:func|var|let|struct|class|enum|actor|protocol|typealias|associatedtype|macro) +`?(\w+)/
            .matchingSemantics(.unicodeScalar)
        let cases = /\bcase ([^\n]+)/.matchingSemantics(.unicodeScalar)
        let functions = /\bfunc `?(\w+)`?(?:<[^>(]*>)?\(|\b(init)\??(?:<[^>(]*>)?\(/
            .matchingSemantics(.unicodeScalar)
        for file in files {
            let code = file.code.map(\.text).joined(separator: "\n")
            var names = Set(code.matches(of: words).map { String($0.output.1) })
            for line in code.matches(of: cases) {
                // Without the types of associated values, the names before each comma are cases.
                let plain = line.output.1.replacing(/\([^()]*\)/, with: "")
                for name in plain.split(separator: ",") {
                    names.formUnion(name.prefixMatch(of: /\s*`?(\w+)/).map { [String($0.output.1)] } ?? [])
                }
            }
            for function in code.matches(of: functions) {
                let name = String(function.output.1 ?? function.output.2 ?? "")
                let labels = Self.labels(of: code[function.range.upperBound...])
                self.functions.insert(name)
                self.labelled.insert("\(name)(\(labels.map { $0 + ":" }.joined()))")
            }
            self.names.formUnion(names)
            self.members[target(file.path), default: []].formUnion(names)
        }
    }

    /// The argument labels of a declaration, after its opening parenthesis.
    private static func labels(of text: Substring) -> [String] {
        var (depth, parameters, current) = (0, [String](), "")
        scan: for character in text {
            switch character {
            case "(", "[": depth += 1
            case ")" where depth == 0: break scan
            case ")", "]": depth -= 1
            case "," where depth == 0:
                parameters.append(current)
                current = ""
                continue
            default: break
            }
            current.append(character)
        }
        return (parameters + [current]).compactMap { parameter in
            // Attributes stand before the label.
            let words = parameter.split(whereSeparator: \.isWhitespace).first { !$0.hasPrefix("@") }
            return words.map { String($0.prefix { $0 != ":" }).replacing("`", with: "") }
        }
    }

    /// Whether a link, such as `Engine/handle(_:now:)`, names an existing symbol; a name without a type must be
    /// declared in the link's target.
    func has(_ link: String, in target: String) -> Bool {
        var parts = link.split(separator: "/")
        if parts.count > 1, let first = parts.first, self.modules.contains(String(first)) { parts.removeFirst() }
        guard let last = parts.popLast() else { return false }
        let name = String(last.prefix { $0 != "(" })
        guard parts.allSatisfy({ self.names.contains(String($0)) }) else { return false }
        // The memberwise initializer is not declared in the source.
        if name == "init" { return self.labelled.contains(String(last)) || !parts.isEmpty }
        if name != last, self.functions.contains(name) { return self.labelled.contains(String(last)) }
        guard parts.isEmpty, name.first?.isLowercase == true else {
            return self.names.contains(name) || self.modules.contains(name)
        }
        return self.members[target]?.contains(name) == true
    }

    /// The targets that declare the type at the beginning of a link; none when it begins with no type.
    func targets(declaringTypeOf link: String) -> Set<String> {
        let name = String(link.prefix { $0 != "/" && $0 != "(" })
        guard name.first?.isUppercase == true else { return [] }
        return Set(self.members.filter { $0.value.contains(name) }.keys)
    }
}
