// swift-tools-version: 6.2
import PackageDescription

// MARK: Settings

/// The settings of all our Swift code.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// The settings of code that protoc wrote: strict memory safety would need annotations in it.
let generated: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault")]

/// The settings of an app developer's package: plain Swift 6.
let appStyle: [SwiftSetting] = [.swiftLanguageMode(.v6)]

/// The settings of C.
let plain: [SwiftSetting] = []

// MARK: Products of other packages

/// The package of each product that our targets import, and the traits that need it.
///
/// SwiftPM fetches a package only if an enabled trait needs it.
let imported: [String: (package: String, traits: Set<String>?)] = [
    "HeapModule": ("swift-collections", nil),
    "DequeModule": ("swift-collections", nil),
    "OrderedCollections": ("swift-collections", nil),
    "SwiftProtobuf": ("swift-protobuf", nil),
    "AsyncHTTPClient": ("async-http-client", ["Sharing"]),
    "CryptoExtras": ("swift-crypto", ["Sharing"]),
    "CoreMetrics": ("swift-metrics", ["Push", "Sharing"]),
    "Crypto": ("swift-crypto", ["Push", "Sharing"]),
    "Logging": ("swift-log", ["Push", "Sharing"]),
    "NIOCore": ("swift-nio", ["Push", "Sharing"]),
    "NIOHPACK": ("swift-nio-http2", ["Push", "Sharing"]),
    "NIOHTTP1": ("swift-nio", ["Push", "Sharing"]),
    "NIOHTTP2": ("swift-nio-http2", ["Push", "Sharing"]),
    "NIOPosix": ("swift-nio", ["Push", "Sharing"]),
    "NIOSSL": ("swift-nio-ssl", ["Push", "Sharing"]),
    "Tracing": ("swift-distributed-tracing", ["Push", "Sharing"]),
    "ArgumentParser": ("swift-argument-parser", ["Programs"]),
    "GRDB": ("GRDB.swift", ["Programs"]),
    "Hummingbird": ("hummingbird", ["Programs"]),
    "HummingbirdCore": ("hummingbird", ["Programs"]),
    "HummingbirdTLS": ("hummingbird", ["Programs"]),
    "NIOEmbedded": ("swift-nio", ["Programs"]),
    "NIOHTTPTypes": ("swift-nio-extras", ["Programs"]),
    "NIOTLS": ("swift-nio", ["Programs"]),
    "ServiceLifecycle": ("swift-service-lifecycle", ["Programs"]),
    "SwiftASN1": ("swift-asn1", ["Programs"]),
    "TOMLKit": ("TOMLKit", ["Programs"]),
    "UnixSignals": ("swift-service-lifecycle", ["Programs"]),
    "X509": ("swift-certificates", ["Programs"]),
]

// MARK: Targets

/// A target: its folder, and the modules that it imports.
struct Part {
    enum Kind { case library, program, test, systemLibrary }

    let name: String
    let uses: [String]
    var kind = Kind.library
    var module: String?
    var path = ""
    var exclude: [String] = []
    var style = strict
    var links: [String] = []

    static func library(
        _ name: String,
        _ uses: String = "",
        path: String? = nil,
        style: [SwiftSetting] = strict,
        exclude: [String] = [],
        links: [String] = []
    ) -> Self {
        Self(name: name, uses: words(uses), path: path ?? name, exclude: exclude, style: style, links: links)
    }

    static func program(
        _ name: String,
        _ uses: String = "",
        module: String? = nil,
        path: String? = nil,
        style: [SwiftSetting] = strict,
        exclude: [String] = []
    ) -> Self {
        Self(
            name: name,
            uses: words(uses),
            kind: .program,
            module: module,
            path: path ?? name,
            exclude: exclude,
            style: style
        )
    }

    static func test(_ name: String, _ uses: String, exclude: [String] = []) -> Self {
        Self(name: name, uses: words(uses), kind: .test, path: name, exclude: exclude)
    }

    static func systemLibrary(_ name: String) -> Self {
        Self(name: name, uses: [], kind: .systemLibrary, path: name)
    }

    static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }
}

/// Support: modules that every wing may import.
let support: [Part] = [
    .library("Vocabulary", "HeapModule"),
    .library("Geodesy"),
    .library("BootClock", "CLinux Vocabulary"),
    .library("CLinux", style: plain),
    .library("Certificates", "Crypto SwiftASN1 X509"),
    .library("Connecting", "Vocabulary NIOCore NIOHTTP2 NIOPosix NIOSSL"),
    .library("Listening", "Vocabulary Logging NIOCore NIOSSL"),
    .library("JSONReading"),
    .library("OptionFiles", "JSONReading ArgumentParser TOMLKit"),
    .library("Supervision"),
    .library("MetricsPage", "CoreMetrics NIOCore NIOHTTP1 NIOPosix"),
    .library("DurableStorage"),
    .library("DatabaseFiles", "GRDB"),
]

/// Apps: what an app links.
let apps: [Part] = [
    .library(
        "CoreLocation",
        "CoreLocationSubmodules Geodesy LocationWire LocationWireMessages Vocabulary SwiftProtobuf"
    ),
    .library("_LocationEssentials", "CoreLocation"),
    .library("CoreLocationSubmodules", style: plain),
    .library("LocationApp", "CoreLocation"),
]

/// Device: the engine, and the daemon around it.
let device: [Part] = [
    .library("Conditions", "Geodesy Vocabulary"),
    .library("LocationEngine", "Conditions Geodesy Vocabulary DequeModule OrderedCollections"),
    .library("DeviceCore", "APNS LocationEngine PushEngine Vocabulary DequeModule OrderedCollections"),
    .library(
        "LocationWireMessages",
        "SwiftProtobuf",
        style: generated,
        exclude: ["agent.proto", "location_wire.proto"]
    ),
    .library("LocationWire", "LocationWireMessages SwiftProtobuf"),
    .library("LocationHost", "DeviceCore LocationEngine LocationWire LocationWireMessages Vocabulary SwiftProtobuf"),
    .library("LocationSources", "Geodesy JSONReading Vocabulary"),
    .library(
        "LocationDaemon",
        """
        APNS BootClock CLinux Conditions DeviceCore DurableStorage JSONReading Listening LocationEngine
        LocationHost LocationSources LocationWire LocationWireMessages PushEngine PushLink PushLinkMessages
        Vocabulary AsyncHTTPClient Crypto Logging NIOCore NIOHTTP1 NIOPosix NIOSSL OrderedCollections
        SwiftProtobuf
        """
    ),
    .program(
        "locationd",
        "CLinux LocationDaemon LocationSources OptionFiles Supervision Vocabulary ArgumentParser Logging",
        module: "Locationd"
    ),
    .program(
        "locationctl",
        "APNS CLinux LocationSources LocationWire LocationWireMessages Vocabulary ArgumentParser",
        module: "Locationctl"
    ),
    .program("location-launch", module: "LocationLaunch", style: plain),
]

/// Desktop: GeoClue's name on the system bus.
let desktop: [Part] = [
    .library("GeoClue", "Vocabulary"),
    .library(
        "GeoClueService",
        "BootClock CSystemBus GeoClue LocationWire LocationWireMessages Vocabulary Logging SwiftProtobuf"
    ),
    .systemLibrary("CSystemBus"),
    .program(
        "locationd-geoclue",
        "CLinux GeoClueService Supervision Vocabulary ArgumentParser Logging",
        module: "LocationdGeoClue"
    ),
]

/// Push: the APNs client, the gateway, and the link to a device.
let push: [Part] = [
    .library("APNS", "Vocabulary"),
    .library("PushEngine", "APNS Vocabulary DequeModule"),
    .library("PushLinkMessages", "SwiftProtobuf", style: generated, exclude: ["push_link.proto"]),
    .library(
        "PushLink",
        """
        APNS BootClock Connecting PushEngine PushLinkMessages Vocabulary Crypto Logging NIOCore NIOPosix NIOSSL
        SwiftProtobuf
        """
    ),
    .library(
        "PushGateway",
        """
        APNS APNSClient Connecting DatabaseFiles JSONReading Listening PushEngine PushLink PushLinkMessages Vocabulary
        CoreMetrics Crypto GRDB Logging NIOCore NIOHPACK NIOHTTP1 NIOHTTP2 NIOPosix NIOSSL NIOTLS ServiceLifecycle
        SwiftProtobuf
        """
    ),
    .library(
        "APNSClient",
        """
        APNS Connecting JSONReading PushEngine Vocabulary CoreMetrics Crypto DequeModule Logging NIOCore NIOHPACK
        NIOHTTP2 NIOPosix NIOSSL Tracing
        """
    ),
]

/// Sharing: grants, requests, answers, and their server.
let sharing: [Part] = [
    .library("SharingEngine", "APNS Geodesy Vocabulary"),
    .library(
        "Sharing",
        """
        Connecting DurableStorage JSONReading SharingEngine Vocabulary AsyncHTTPClient Crypto CryptoExtras NIOCore
        NIOHTTP1 NIOSSL
        """
    ),
    .library("SharingURLSession", "Sharing"),
    .library(
        "SharingServer",
        """
        APNS APNSClient Connecting DatabaseFiles DurableStorage JSONReading Listening Sharing SharingEngine Vocabulary
        CoreMetrics GRDB Hummingbird HummingbirdCore HummingbirdTLS Logging NIOCore NIOHTTPTypes NIOSSL NIOTLS
        ServiceLifecycle
        """
    ),
    .program(
        "whereabouts",
        """
        APNS APNSClient Certificates CLinux Connecting JSONReading Listening MetricsPage OptionFiles PushGateway
        Sharing SharingEngine SharingServer Supervision Vocabulary ArgumentParser AsyncHTTPClient Crypto Logging
        NIOCore NIOHTTP1 NIOPosix ServiceLifecycle UnixSignals
        """,
        module: "Command"
    ),
]

/// Testing: what the tests of other people link.
let testing: [Part] = [
    .library(
        "LocationTesting",
        """
        APNS CLinux CoreLocation CVirtualTime DeviceCore Geodesy LocationEngine LocationHost LocationSources
        LocationWire LocationWireMessages PushEngine Vocabulary DequeModule SwiftProtobuf
        """
    ),
    .library(
        "WhereaboutsTestKit",
        "APNS LocationEngine LocationHost PushEngine Sharing SharingEngine SharingServer Vocabulary"
    ),
    .library(
        "SharingTesting",
        "APNS LocationTesting Sharing SharingEngine SharingServer NIOEmbedded"
    ),
    .library("CVirtualTime", style: plain, links: ["BlocksRuntime", "dispatch"]),
]

/// Programs of this repository that no package of ours contains.
let tools: [Part] = [
    .library("Rig", "Certificates CLinux JSONReading Crypto"),
    .program("demo", "FindFriends FindFriendsLocationPush location-launch locationctl locationd Rig whereabouts"),
    .library(
        "SystemSimulator",
        """
        APNS Conditions DeviceCore Geodesy LocationEngine LocationSources PushEngine Sharing SharingEngine
        Vocabulary DequeModule OrderedCollections
        """
    ),
    .program("simulate", "JSONReading SystemSimulator ArgumentParser"),
    .program(
        "attack",
        """
        APNS APNSClient JSONReading LocationWire LocationWireMessages PushEngine PushLink PushLinkMessages Rig
        Sharing SharingEngine Vocabulary ArgumentParser Crypto Logging NIOCore NIOHTTP1 NIOPosix NIOSSL
        SwiftProtobuf
        """
    ),
    .program(
        "soak",
        """
        APNS APNSClient FindFriends FindFriendsLocationPush JSONReading location-launch locationctl locationd
        ProbeExtension PushEngine PushLink Rig Vocabulary whereabouts ArgumentParser AsyncHTTPClient Crypto
        Logging NIOCore NIOPosix
        """
    ),
]

let benchmarks: [Part] = [
    .program(
        "benchmarks",
        """
        APNS APNSClient BenchmarkLimits CAllocations CLinux Conditions FieldLogs Geodesy Listening LocationEngine
        LocationSources LocationWire LocationWireMessages ProbeExtension PushEngine PushGateway PushLink Rig
        Sharing SystemSimulator Vocabulary AsyncHTTPClient Crypto Logging NIOCore NIOHTTP1 NIOPosix NIOSSL
        SwiftProtobuf
        """,
        path: ".",
        exclude: [
            "APNSClient/aioapns-load.py", "APNSLoad", "Allocations", "BareHTTP2", "BareSSE", "BuildReference",
            "GPSDClient", "GeoClueClient", "Limits", "Minimal", "Outside", "README.md", "Reference", "Simulation",
            "UpdatesClient", "limits.tsv",
        ]
    ),
    .library("BenchmarkLimits", path: "Limits"),
    .library("CAllocations", path: "Allocations", style: plain),
    .program("updates-client", "CoreLocation", path: "UpdatesClient", style: appStyle),
    .program("gpsd-client", path: "GPSDClient", style: appStyle),
    .program("geoclue-client", "CSystemBus", path: "GeoClueClient", style: appStyle),
    .program("simulation", "CoreLocation LocationTesting", path: "Simulation", style: appStyle),
    .program("minimal", path: "Minimal"),
    .program("apns-load", "APNS APNSClient Logging NIOCore NIOHPACK NIOHTTP2 NIOPosix NIOSSL", path: "APNSLoad"),
    .program("bare-http2", "NIOCore NIOHPACK NIOHTTP2 NIOPosix NIOSSL", path: "BareHTTP2"),
    .program("bare-sse", "Hummingbird HummingbirdTLS NIOCore NIOSSL", path: "BareSSE"),
]

/// The example app, as an app developer writes it.
let examples: [Part] = [
    .library("Friends", "CoreLocation Sharing", path: "FindFriends/Friends", style: appStyle),
    .program(
        "FindFriends",
        "CoreLocation Friends Sharing",
        path: "FindFriends/FindFriends",
        style: appStyle,
        exclude: ["Info.plist"]
    ),
    .program(
        "FindFriendsLocationPush",
        "CoreLocation Friends Sharing",
        path: "FindFriends/FindFriendsLocationPush",
        style: appStyle,
        exclude: ["Info.plist", "Entitlements.plist"]
    ),
]

let tests: [Part] = [
    .test(
        "FindFriendsTests",
        """
        CoreLocation FindFriends FindFriendsLocationPush Friends LocationTesting Sharing SharingEngine
        SharingTesting
        """
    ),
    .test("VocabularyTests", "Vocabulary"),
    .test("JSONReadingTests", "JSONReading"),
    .test("OptionFilesTests", "OptionFiles ArgumentParser"),
    .test("GeodesyTests", "Geodesy Vocabulary", exclude: ["geodesics.tsv"]),
    .test("ConditionsTests", "Conditions FieldLogs Geodesy LocationEngine LocationSources Vocabulary"),
    .test("APNSTests", "APNS Vocabulary"),
    .test("PushEngineTests", "APNS PushEngine SystemSimulator Vocabulary"),
    .test("APNSClientTests", "APNS APNSClient FakeAPNS MetricsPage Crypto Logging NIOCore NIOPosix"),
    .test(
        "PushGatewayTests",
        """
        APNS APNSClient Certificates FakeAPNS MetricsPage PushEngine PushGateway PushLink PushLinkMessages Rig
        SharingEngine SharingServer SystemSimulator Vocabulary WhereaboutsTestKit AsyncHTTPClient CoreMetrics
        Crypto GRDB Logging NIOCore NIOEmbedded NIOHPACK NIOHTTP2 NIOPosix NIOSSL NIOTLS SwiftProtobuf
        """
    ),
    .test("SharingEngineTests", "APNS SharingEngine SystemSimulator Vocabulary"),
    .test(
        "SharingTests",
        """
        Connecting PushEngine Sharing SharingEngine SystemSimulator Vocabulary WhereaboutsTestKit AsyncHTTPClient
        Crypto NIOCore
        """
    ),
    .test(
        "SharingServerTests",
        """
        APNS APNSClient Certificates Connecting FakeAPNS Rig Sharing SharingEngine SharingServer SharingStoreModel
        transport-probe TransportRules Vocabulary whereabouts WhereaboutsTestKit AsyncHTTPClient Crypto GRDB
        Logging NIOCore NIOHTTP1 NIOPosix NIOSSL
        """
    ),
    .test(
        "SystemSimulatorTests",
        """
        DeviceCore LocationEngine Rig SharingEngine ShellTranscripts simulate SystemSimulator Vocabulary
        OrderedCollections
        """,
        exclude: ["Kept"]
    ),
    .test("DurableStorageTests", "DurableStorage"),
    .test("DatabaseFilesTests", "DatabaseFiles GRDB"),
    .test("LocationSourcesTests", "FieldLogs LocationSources Vocabulary"),
    .test("LocationEngineTests", "Conditions Geodesy LocationEngine Vocabulary OrderedCollections"),
    .test("DeviceCoreTests", "APNS DeviceCore LocationEngine Vocabulary OrderedCollections"),
    .test("LocationWireTests", "LocationWire LocationWireMessages SwiftProtobuf"),
    .test("CoreLocationTests", "CoreLocation Listings LocationEngine LocationWireMessages Vocabulary SwiftProtobuf"),
    .test("CompatibilityTests", "_LocationEssentials Compatibility CoreLocation"),
    .test("LocationAppTests", "CoreLocation LocationApp LocationWireMessages SwiftProtobuf"),
    .test(
        "LocationDaemonTests",
        """
        APNS Certificates CLinux DeviceCore LocationDaemon LocationEngine LocationHost LocationSources
        LocationWire LocationWireMessages ProbeExtension ProbeMonitor Puppet Rig ShellTranscripts Vocabulary
        WhereaboutsTestKit Crypto Logging NIOCore NIOHTTP1 NIOPosix SwiftProtobuf
        """,
        exclude: ["SystemBus"]
    ),
    .test("GeoClueTests", "GeoClue Vocabulary"),
    .test("LocationctlTests", "locationctl LocationWireMessages Rig SwiftProtobuf"),
    .test(
        "LocationTestingTests",
        """
        APNS CoreLocation DeviceCore LocationEngine LocationHost LocationTesting LocationWireMessages
        ShellTranscripts VirtualApps Vocabulary SwiftProtobuf
        """,
        exclude: ["Timelines"]
    ),
    .test("CertificatesTests", "Certificates Crypto SwiftASN1 X509"),
    .test("BootClockTests", "BootClock Vocabulary"),
    .test("ConnectingTests", "Connecting Vocabulary NIOCore NIOEmbedded NIOSSL"),
    .test("SupervisionTests", "Rig Supervision"),
    .test("ListeningTests", "Certificates Listening Vocabulary NIOCore NIOEmbedded NIOSSL"),
    .test("MetricsPageTests", "MetricsPage CoreMetrics NIOCore NIOPosix"),
    .test("AttackTests", "attack"),
    .test("SoakTests", "soak"),
    .test("EndToEndTests", "Rig"),
    .test(
        "FuzzTests",
        """
        APNS CoreLocation DeviceCore locationctl LocationDaemon LocationEngine LocationHost LocationSources
        LocationWire LocationWireMessages PushEngine PushGateway PushLink PushLinkMessages Sharing SharingEngine
        Vocabulary Logging NIOCore NIOEmbedded SwiftProtobuf
        """,
        exclude: ["FailCases"]
    ),
    .test("TidyTests", "BenchmarkLimits Crypto", exclude: ["imports.txt"]),
]

/// What several test targets share, and the apps that they run.
let testSupport: [Part] = [
    .program("ProbeExtension", "CoreLocation", style: appStyle),
    .program("ProbeMonitor", "CoreLocation", style: appStyle),
    .library("FakeAPNS", "Certificates NIOCore NIOHPACK NIOHTTP2 NIOPosix NIOSSL"),
    .library("TransportRules", "Sharing NIOCore NIOHTTP1 NIOPosix NIOSSL"),
    .program("transport-probe", "Sharing SharingURLSession TransportRules", path: "TransportProbe"),
    .library("SharingStoreModel", "SharingEngine SharingServer SystemSimulator"),
    .library("FieldLogs"),
    .library("ShellTranscripts", "LocationEngine LocationWireMessages Vocabulary SwiftProtobuf"),
    .program("Puppet", "LocationWire"),
    .library("WhereaboutsPowerCut", path: "PowerCut", style: plain),
    .library("Listings", "CoreLocation", style: [.swiftLanguageMode(.v5)]),
    .library("Compatibility", path: "Compatibility/Module"),
    .program("gap", "Compatibility CoreLocation", path: "Compatibility/Gap"),
    .library("VirtualApps", "CoreLocation", style: appStyle),
]

// MARK: Package

/// The targets below each folder of the package.
let folders: [(folder: String, parts: [Part])] = [
    ("Sources/Support", support), ("Sources/Apps", apps), ("Sources/Device", device), ("Sources/Desktop", desktop),
    ("Sources/Push", push), ("Sources/Sharing", sharing), ("Sources/Testing", testing), ("Tools", tools),
    ("Benchmarks", benchmarks), ("Examples", examples), ("Tests", tests), ("Tests", testSupport),
]

/// The module of each part.
///
/// A target below `Sources` has our prefix: SwiftPM refuses a graph in which two packages declare targets of one name.
let modules = Dictionary(
    uniqueKeysWithValues: folders.flatMap { folder, parts in
        parts.map { part in
            let isAppleName = ["CoreLocation", "_LocationEssentials"].contains(part.name)
            let keepsName = !folder.hasPrefix("Sources/") || isAppleName || part.name.hasPrefix("Whereabouts")
            return (part.name, (keepsName ? "" : "Whereabouts") + (part.module ?? part.name))
        }
    }
)

func module(_ name: String) -> String {
    guard let module = modules[name] else { fatalError("Package.swift: no target is named \(name)") }
    return module
}

func target(_ part: Part, in folder: String) -> Target {
    let uses: [Target.Dependency] = part.uses.map { name in
        guard let product = imported[name] else { return .target(name: module(name)) }
        let condition = product.traits.map { TargetDependencyCondition.when(traits: $0) }
        return .product(name: name, package: product.package, condition: condition ?? nil)
    }
    let (name, path) = (module(part.name), part.path == "." ? folder : "\(folder)/\(part.path)")
    let (exclude, settings) = (part.exclude, part.style)
    switch part.kind {
    case .library:
        let links = part.links.map { LinkerSetting.linkedLibrary($0) }
        return .target(
            name: name,
            dependencies: uses,
            path: path,
            exclude: exclude,
            swiftSettings: settings,
            linkerSettings: links
        )
    case .program:
        return .executableTarget(name: name, dependencies: uses, path: path, exclude: exclude, swiftSettings: settings)
    case .test:
        return .testTarget(name: name, dependencies: uses, path: path, exclude: exclude, swiftSettings: settings)
    case .systemLibrary:
        return .systemLibrary(name: name, path: path)
    }
}

func library(_ name: String, _ parts: String...) -> Product {
    .library(name: module(name), targets: ([name] + parts).map(module))
}

func program(_ name: String) -> Product {
    .executable(name: name, targets: [module(name)])
}

let package = Package(
    name: "whereabouts",
    platforms: [.macOS(.v15)],
    products: [
        library("CoreLocation", "_LocationEssentials"),
        library("LocationApp"),
        library("Sharing"),
        library("SharingURLSession"),
        library("APNSClient", "APNS"),
        library("LocationTesting"),
        library("SharingTesting"),
        // With the modules of the protocols, which an implementer imports.
        library(
            "WhereaboutsTestKit",
            "APNS",
            "LocationEngine",
            "LocationHost",
            "PushEngine",
            "SharingEngine",
            "SharingServer",
            "Vocabulary"
        ),
        program("locationd"),
        program("locationctl"),
        program("location-launch"),
        program("locationd-geoclue"),
        program("whereabouts"),
        // For our tests: a process loads it, and the disk keeps only what the process synchronised.
        .library(name: "power-cut", type: .dynamic, targets: [module("WhereaboutsPowerCut")]),
    ],
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(name: "Push", description: "The library WhereaboutsAPNSClient, with HTTP/2 and TLS."),
        .trait(name: "Sharing", description: "The library WhereaboutsSharing, with an HTTP client and TLS."),
        .trait(
            name: "Programs",
            description: "The daemon, the servers and the commands. A package that only tests apps leaves it out.",
            enabledTraits: ["Push", "Sharing"]
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/LebJe/TOMLKit", "0.6.0"..<"0.7.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: folders.flatMap { folder, parts in parts.map { target($0, in: folder) } }
)

// `dev/build` builds this target: everything but the tests. `swift build --build-tests` would also build the plugins of
// our dependencies, among them a whole protoc, which takes longer than all of ours.
package.targets.append(
    .target(
        name: "Everything",
        dependencies: package.targets.filter { $0.type != .test }.map { .target(name: $0.name) },
        path: "Tools/Everything",
        swiftSettings: strict
    )
)

// WHEREABOUTS_ONLY="ConditionsTests LocationEngineTests" reduces the package to these targets and what they depend on. Use it
// with a --scratch-path of its own. `make sanitize` and `make mutants` do; it also makes work on a part fast.
if let only = Context.environment["WHEREABOUTS_ONLY"] {
    let parts = Dictionary(uniqueKeysWithValues: folders.flatMap(\.parts).map { ($0.name, $0.uses) })
    var (needed, next) = (Set<String>(), Set(Part.words(only)))
    while !next.isEmpty {
        needed.formUnion(next)
        next = Set(next.flatMap { parts[$0] ?? [] }).subtracting(needed).filter { parts[$0] != nil }
    }
    let kept = Set(needed.map(module))
    package.products.removeAll { $0.name != "power-cut" || !needed.contains("WhereaboutsPowerCut") }
    package.targets.removeAll { !kept.contains($0.name) }
    let packages = Set(needed.flatMap { parts[$0] ?? [] }.compactMap { imported[$0]?.package })
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !packages.contains { location.hasSuffix("/\($0)") || location.hasSuffix("/\($0).git") }
    }
    // A mutant compiles the simulator again and runs a few seeds.
    for target in package.targets where target.name == "SystemSimulator" {
        target.swiftSettings = strict + [.unsafeFlags(["-Onone"])]
    }
}
