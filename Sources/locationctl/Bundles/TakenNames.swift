/// Names that a module of a new app cannot have.
enum TakenNames {
    /// Words of Swift, and modules that the app imports: an app of such a name does not compile.
    static let words: Set<String> = [
        "Any", "CoreLocation", "Foundation", "LocationApp", "Self", "Swift", "as", "associatedtype", "break", "case",
        "catch",
        "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
        "static",
        "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where",
        "while",
    ]

    /// The modules of this package, and of those that an app needs with it: a package graph has each name once.
    static let modules: Set<String> = [
        "APNS", "APNSClient", "BootClock", "CLinux", "CSystemBus", "CVirtualTime", "Certificates", "Conditions",
        "Connecting",
        "CoreLocation",
        "CoreLocationSubmodules", "DeviceCore", "DurableStorage", "Everything", "GeoClue", "GeoClueService", "Geodesy",
        "JSONReading",
        "Listening", "LocationApp", "LocationDaemon", "LocationEngine", "LocationHost", "LocationSources",
        "LocationTesting",
        "LocationWire", "LocationWireMessages", "MetricsPage", "OptionFiles", "PushEngine", "PushGateway", "PushLink",
        "PushLinkMessages",
        "Sharing", "SharingEngine", "SharingServer", "SharingURLSession", "Supervision", "SystemSimulator",
        "Vocabulary",
        "WhereaboutsTestKit", "_LocationEssentials",
        "Collections", "DequeModule", "HeapModule", "OrderedCollections", "HashTreeCollections", "BitCollections",
        "SwiftProtobuf",
    ]
}
