public import Foundation

/// The public names of a module, from the compiler's symbol graph.
public struct SymbolGraph: Sendable {
    struct Symbol: Sendable {
        /// Its name with the types around it, as `CLLocation.distance(from:)`.
        let name: String
        /// The kind, in the words of the list of names.
        let kind: String
        /// The declaration with its access level.
        let declaration: String
        /// Whether it is the module's own, rather than what a protocol's extension gives it.
        let isOwn: Bool
    }

    let symbols: [Symbol]
    /// The protocols each type conforms to, without their modules.
    let conformances: [String: Set<String>]

    /// Reads a symbol graph.
    public init(_ json: Data) throws {
        let file = try JSONDecoder().decode(File.self, from: json)
        self.symbols = file.symbols.map { symbol in
            let declaration = (symbol.declarationFragments ?? []).map(\.spelling).joined()
            return Symbol(
                name: symbol.pathComponents.joined(separator: "."),
                kind: Self.kind(symbol.kind.identifier, declaration),
                declaration: "\(symbol.accessLevel) \(declaration)",
                isOwn: !symbol.identifier.precise.contains("::SYNTHESIZED::")
            )
        }
        let names = Dictionary(
            file.symbols.map { ($0.identifier.precise, $0.pathComponents.joined(separator: ".")) },
            uniquingKeysWith: { first, _ in first }
        )
        var conformances: [String: Set<String>] = [:]
        for relationship in file.relationships where relationship.kind == "conformsTo" {
            guard let type = names[relationship.source] else { continue }
            let known = names[relationship.target]
            let name = known ?? relationship.targetFallback?.split(separator: ".").last.map(String.init)
            if let name { conformances[type, default: []].insert(name) }
        }
        // The graph tells a subclass's own conformances only.
        let parents = file.relationships.filter { $0.kind == "inheritsFrom" }
        for relationship in parents {
            guard let type = names[relationship.source], let parent = names[relationship.target] else { continue }
            conformances[type, default: []].formUnion(conformances[parent] ?? [])
        }
        self.conformances = conformances
    }

    private static func kind(_ identifier: String, _ declaration: String) -> String {
        switch identifier {
        case "swift.class": declaration.contains("actor ") ? "actor" : "class"
        case "swift.init": "initializer"
        case "swift.enum.case": "case"
        case "swift.type.method": "static method"
        case "swift.type.property": "static property"
        case "swift.func": "function"
        case "swift.var": "constant"
        default: String(identifier.dropFirst("swift.".count))
        }
    }

    /// The part of the format that is read here.
    private struct File: Decodable {
        struct Symbol: Decodable {
            struct Kind: Decodable { let identifier: String }
            struct Identifier: Decodable { let precise: String }
            struct Fragment: Decodable { let spelling: String }

            let kind: Kind
            let identifier: Identifier
            let pathComponents: [String]
            let accessLevel: String
            let declarationFragments: [Fragment]?
        }

        struct Relationship: Decodable {
            let kind: String
            let source: String
            let target: String
            let targetFallback: String?
        }

        let symbols: [Symbol]
        let relationships: [Relationship]
    }
}
