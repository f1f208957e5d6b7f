/// Names that a module of a new app cannot have.
enum TakenNames {
    /// Swift's reserved words, and modules that the app imports: an app with such a name does not compile.
    static let words: Set<String> = [
        "Any", "CoreLocation", "Foundation", "Self", "Swift", "as", "associatedtype", "break", "case",
        "catch",
        "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static",
        "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where",
        "while",
    ]

    /// Returns whether the app's package graph contains a module with this name.
    ///
    /// SwiftPM refuses a graph in which two packages declare the same module. Our own modules are `CoreLocation`,
    /// `_LocationEssentials`, and names that begin with `Whereabouts`.
    static func isModuleOfThisGraph(_ name: String) -> Bool {
        name.hasPrefix("Whereabouts") || Self.modules.contains(name)
    }

    /// The modules of swift-collections and swift-protobuf, which the library CoreLocation needs.
    private static let modules: Set<String> = [
        "BasicContainers", "BitCollections", "Collections", "ContainersPreview", "DequeModule", "HashTreeCollections",
        "HeapModule", "InternalCollectionsUtilities", "OrderedCollections", "RopeModule", "SortedCollections",
        "SwiftProtobuf", "SwiftProtobufPluginLibrary", "TrailingElementsModule",
    ]
}
