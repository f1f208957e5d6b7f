internal import Foundation

/// The targets of `Package.swift`, as SwiftPM reads it.
struct PackageManifest {
    /// A target and the folder of its sources.
    struct Target: Hashable {
        /// The module's name without our prefix, as in the table of imports.
        let name: String
        let folder: String
        /// The name in the manifest, which code imports.
        let module: String
        /// The paths below the folder that are compiled; nil: all.
        var sources: [String]?
    }

    /// The prefix of our modules' names.
    ///
    /// SwiftPM refuses a package graph in which two packages declare one name.
    static let prefix = "Whereabouts"

    let targets: [Target]
    /// The targets that a product contains, directly or indirectly, by name.
    ///
    /// SwiftPM loads these for every package that depends on this one.
    let targetsOfProducts: Set<String>

    /// Reads the output of `swift package dump-package`.
    init(_ json: Data) throws {
        let dump = try JSONDecoder().decode(Dump.self, from: json)
        let modules = Set(dump.targets.map(\.name))
        self.targets = dump.targets.map { target in
            let defaultFolder = (target.type == "test" ? "Tests/" : "Sources/") + target.name
            return Target(
                name: Self.short(target.name, among: modules),
                folder: target.path ?? defaultFolder,
                module: target.name,
                sources: target.sources
            )
        }
        let uses = Dictionary(uniqueKeysWithValues: dump.targets.map { ($0.name, $0.dependencies.compactMap(\.name)) })
        var (reached, next) = (Set<String>(), Set(dump.products.flatMap(\.targets)))
        while !next.isEmpty {
            reached.formUnion(next)
            next = Set(next.flatMap { uses[$0] ?? [] }).subtracting(reached).intersection(modules)
        }
        self.targetsOfProducts = reached
    }

    /// The manifest of this repository, read once.
    static func ours() throws -> PackageManifest { try Self.read.get() }

    private static let read = Result { try PackageManifest(SwiftPackage.run(["dump-package"], in: SourceTree.root)) }

    /// Returns a module's name without our prefix; a name that is the prefix and an ordinary name of another module stays.
    func short(_ module: String) -> String {
        self.targets.first { $0.module == module }?.name ?? module
    }

    private static func short(_ module: String, among modules: Set<String>) -> String {
        let rest = String(module.dropFirst(Self.prefix.count))
        return module.hasPrefix(Self.prefix) && rest != "TestKit" ? rest : module
    }

    /// The target that a file belongs to: the one with the longest matching folder.
    func target(of path: String) -> Target? {
        self.targets.filter { path.hasPrefix($0.folder + "/") }.max { $0.folder.count < $1.folder.count }
    }
}

/// The part of SwiftPM's JSON that the tests read.
private struct Dump: Decodable {
    struct Target: Decodable {
        let name: String
        let type: String
        let path: String?
        let sources: [String]?
        let dependencies: [Dependency]
    }

    /// A dependency on a target of the same package, or on a product, which has no name here.
    struct Dependency: Decodable {
        let name: String?

        init(from decoder: any Decoder) throws {
            let kinds = try decoder.container(keyedBy: Kind.self)
            let kind: Kind = kinds.contains(.target) ? .target : .byName
            guard kinds.contains(kind) else {
                self.name = nil
                return
            }
            var values = try kinds.nestedUnkeyedContainer(forKey: kind)
            self.name = try values.decode(String.self)
        }

        enum Kind: String, CodingKey { case target, byName }
    }

    struct Product: Decodable { let targets: [String] }

    let targets: [Target]
    let products: [Product]
}
