// swift-tools-version: 6.2
import PackageDescription

/// One list for every target of ours, so that no target is quietly laxer than the others.
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

/// Code that protoc wrote: it is not ours to annotate for strict memory safety.
let generated: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The examples are compiled the way an app developer's package is: plain Swift 6, nothing of our house.
let appStyle: [SwiftSetting] = [.swiftLanguageMode(.v6)]

extension Target.Dependency {
    static let argumentParser = Self.programs("ArgumentParser", "swift-argument-parser")
    static let asn1 = Self.programs("SwiftASN1", "swift-asn1")
    static let asyncHTTPClient = Self.libraries("AsyncHTTPClient", "async-http-client", traits: ["Sharing"])
    static let certificates = Self.programs("X509", "swift-certificates")
    static let coreMetrics = Self.libraries("CoreMetrics", "swift-metrics")
    static let crypto = Self.libraries("Crypto", "swift-crypto")
    static let grdb = Self.programs("GRDB", "GRDB.swift")
    static let heapModule = Self.product(name: "HeapModule", package: "swift-collections")
    static let hummingbird = Self.programs("Hummingbird", "hummingbird")
    static let hummingbirdCore = Self.programs("HummingbirdCore", "hummingbird")
    static let hummingbirdTLS = Self.programs("HummingbirdTLS", "hummingbird")
    static let logging = Self.libraries("Logging", "swift-log")
    static let nioCore = Self.libraries("NIOCore", "swift-nio")
    static let nioPosix = Self.libraries("NIOPosix", "swift-nio")
    static let nioHTTP2 = Self.libraries("NIOHTTP2", "swift-nio-http2")
    static let nioHPACK = Self.libraries("NIOHPACK", "swift-nio-http2")
    static let nioHTTPTypes = Self.programs("NIOHTTPTypes", "swift-nio-extras")
    static let nioTLS = Self.programs("NIOTLS", "swift-nio")
    static let nioSSL = Self.libraries("NIOSSL", "swift-nio-ssl")
    static let nioEmbedded = Self.programs("NIOEmbedded", "swift-nio")
    static let nioHTTP1 = Self.libraries("NIOHTTP1", "swift-nio")
    static let orderedCollections = Self.product(name: "OrderedCollections", package: "swift-collections")
    static let cryptoExtras = Self.libraries("CryptoExtras", "swift-crypto", traits: ["Sharing"])
    static let dequeModule = Self.product(name: "DequeModule", package: "swift-collections")
    static let protobuf = Self.product(name: "SwiftProtobuf", package: "swift-protobuf")
    static let serviceLifecycle = Self.programs("ServiceLifecycle", "swift-service-lifecycle")
    static let tomlKit = Self.programs("TOMLKit", "TOMLKit")
    static let tracing = Self.libraries("Tracing", "swift-distributed-tracing")
    static let unixSignals = Self.programs("UnixSignals", "swift-service-lifecycle")

    /// A product that asking, answering or pushing needs: nobody who only tests an app fetches it.
    private static func libraries(
        _ name: String,
        _ package: String,
        traits: Set<String> = ["Push", "Sharing"]
    ) -> Self {
        .product(name: name, package: package, condition: .when(traits: traits))
    }

    /// A product that the programs alone need: nobody who uses a library fetches it.
    private static func programs(_ name: String, _ package: String) -> Self {
        .product(name: name, package: package, condition: .when(traits: ["Programs"]))
    }
}

let package = Package(
    name: "whereabouts",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "CoreLocation", targets: ["CoreLocation", "_LocationEssentials"]),
        .library(name: "LocationApp", targets: ["LocationApp"]),
        .library(name: "WhereaboutsSharing", targets: ["Sharing"]),
        .library(name: "WhereaboutsSharingURLSession", targets: ["SharingURLSession"]),
        .library(name: "APNSClient", targets: ["APNS", "APNSClient"]),
        .library(name: "LocationTesting", targets: ["LocationTesting"]),
        // With the modules of the protocols, which an implementer imports.
        .library(
            name: "WhereaboutsTestKit",
            targets: [
                "WhereaboutsTestKit", "APNS", "LocationEngine", "LocationHost", "PushEngine", "SharingEngine",
                "SharingServer", "Vocabulary",
            ]
        ),
        .executable(name: "locationd", targets: ["locationd"]),
        .executable(name: "locationctl", targets: ["locationctl"]),
        .executable(name: "locationd-geoclue", targets: ["locationd-geoclue"]),
        .executable(name: "whereabouts", targets: ["whereabouts"]),
    ],
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(name: "Push", description: "The library APNSClient, with HTTP/2 and TLS."),
        .trait(name: "Sharing", description: "The library Sharing, with an HTTP client and TLS."),
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
    targets: [
        // MARK: Pure: no clock, no randomness, no I/O, no Foundation.
        .target(name: "Vocabulary", dependencies: [.heapModule], swiftSettings: strict),
        .target(name: "Geodesy", swiftSettings: strict),
        .target(name: "Conditions", dependencies: ["Geodesy", "Vocabulary"], swiftSettings: strict),
        .target(name: "APNS", dependencies: ["Vocabulary"], swiftSettings: strict),
        .target(name: "PushEngine", dependencies: ["APNS", "Vocabulary", .dequeModule], swiftSettings: strict),
        .target(name: "SharingEngine", dependencies: ["APNS", "Geodesy", "Vocabulary"], swiftSettings: strict),
        .target(
            name: "LocationEngine",
            dependencies: ["Conditions", "Geodesy", "Vocabulary", .dequeModule, .orderedCollections],
            swiftSettings: strict
        ),

        .target(
            name: "DeviceCore",
            dependencies: ["APNS", "LocationEngine", "PushEngine", "Vocabulary", .dequeModule, .orderedCollections],
            swiftSettings: strict
        ),

        // MARK: Wires: protobuf schemas and their framing.
        .target(
            name: "LocationWireMessages",
            dependencies: [.protobuf],
            exclude: ["agent.proto", "location_wire.proto"],
            swiftSettings: generated
        ),
        .target(
            name: "LocationWire",
            dependencies: ["LocationWireMessages", .protobuf],
            swiftSettings: strict
        ),
        .target(
            name: "PushLinkMessages",
            dependencies: [.protobuf],
            exclude: ["push_link.proto"],
            swiftSettings: generated
        ),
        .target(
            name: "PushLink",
            dependencies: [
                "APNS", "BootClock", "Connecting", "PushEngine", "PushLinkMessages", "Vocabulary", .crypto, .logging,
                .nioCore, .nioPosix, .nioSSL, .protobuf,
            ],
            swiftSettings: strict
        ),

        // MARK: C: what Swift's Glibc lacks.
        .target(name: "CLinux"),
        .target(name: "BootClock", dependencies: ["CLinux", "Vocabulary"], swiftSettings: strict),
        .executableTarget(name: "location-launch"),

        // MARK: Shells and adapters.
        .target(name: "Certificates", dependencies: [.asn1, .certificates, .crypto], swiftSettings: strict),
        .target(
            name: "Connecting",
            dependencies: ["Vocabulary", .nioCore, .nioHTTP2, .nioPosix, .nioSSL],
            swiftSettings: strict
        ),
        .target(name: "Listening", dependencies: ["Vocabulary", .logging, .nioCore, .nioSSL], swiftSettings: strict),
        .target(name: "JSONReading", swiftSettings: strict),
        .target(
            name: "OptionFiles",
            dependencies: ["JSONReading", .argumentParser, .tomlKit],
            swiftSettings: strict
        ),
        .target(name: "Supervision", swiftSettings: strict),
        .target(
            name: "MetricsPage",
            dependencies: [.coreMetrics, .nioCore, .nioHTTP1, .nioPosix],
            swiftSettings: strict
        ),
        .target(name: "DurableStorage", swiftSettings: strict),
        // Names of modules that code for Apple's platforms imports, beside the one that has the names.
        .target(name: "CoreLocationSubmodules"),
        .target(name: "_LocationEssentials", dependencies: ["CoreLocation"], swiftSettings: strict),
        .target(
            name: "CoreLocation",
            dependencies: [
                "CoreLocationSubmodules", "Geodesy", "LocationWire", "LocationWireMessages", "Vocabulary", .protobuf,
            ],
            swiftSettings: strict
        ),
        .target(name: "LocationApp", dependencies: ["CoreLocation"], swiftSettings: strict),
        .target(
            name: "LocationSources",
            dependencies: ["Geodesy", "Vocabulary", "JSONReading"],
            swiftSettings: strict
        ),
        .target(
            name: "LocationHost",
            dependencies: [
                "DeviceCore", "LocationEngine", "LocationWire", "LocationWireMessages", "Vocabulary", .protobuf,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Sharing",
            dependencies: [
                "Connecting", "DurableStorage", "SharingEngine", "Vocabulary", .asyncHTTPClient, .crypto, .cryptoExtras,
                .nioCore,
                .nioSSL, .nioHTTP1, "JSONReading",
            ],
            swiftSettings: strict
        ),
        .target(name: "SharingURLSession", dependencies: ["Sharing"], swiftSettings: strict),
        .target(
            name: "APNSClient",
            dependencies: [
                "APNS", "Connecting", "PushEngine", "Vocabulary", .coreMetrics, .crypto, .dequeModule, .logging,
                .nioCore,
                .nioHPACK, .nioHTTP2, .nioPosix, .nioSSL, .tracing, "JSONReading",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "SharingServer",
            dependencies: [
                "APNSClient", "APNS", "Connecting", "DurableStorage", "Listening", "Sharing", "SharingEngine",
                "Vocabulary",
                .grdb, .hummingbird,
                .hummingbirdCore,
                .hummingbirdTLS, .logging, .coreMetrics, .nioCore, .nioHTTPTypes, .nioSSL, .nioTLS, .serviceLifecycle,
                "JSONReading",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "PushGateway",
            dependencies: [
                "APNS", "APNSClient", "Connecting", "Listening", "PushEngine", "PushLink", "PushLinkMessages",
                "Vocabulary",
                .coreMetrics, .crypto, .grdb,
                .logging,
                .nioCore, .nioHTTP1, .nioPosix, .nioHTTP2, .nioHPACK, .nioTLS, .nioSSL, .protobuf, .serviceLifecycle,
                "JSONReading",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "LocationDaemon",
            dependencies: [
                "APNS", "BootClock", "CLinux", "Conditions", "DeviceCore", "DurableStorage", "Listening",
                "LocationEngine", "LocationHost", "LocationSources", "LocationWire", "LocationWireMessages",
                "PushEngine", "PushLink", "PushLinkMessages", "Vocabulary", .asyncHTTPClient,
                .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .orderedCollections, .protobuf,
                "JSONReading",
            ],
            swiftSettings: strict
        ),

        // GeoClue's name on the system bus, for programs that know nothing of locationd.
        .target(name: "GeoClue", dependencies: ["Vocabulary"], swiftSettings: strict),
        .systemLibrary(name: "CSystemBus"),
        .target(
            name: "GeoClueService",
            dependencies: [
                "BootClock", "CSystemBus", "GeoClue", "LocationWire", "LocationWireMessages", "Vocabulary", .logging,
                .protobuf,
            ],
            swiftSettings: strict
        ),

        // MARK: For people who test apps: the virtual device.
        .target(
            name: "CVirtualTime",
            linkerSettings: [.linkedLibrary("BlocksRuntime"), .linkedLibrary("dispatch")]
        ),
        .target(
            name: "SystemSimulator",
            dependencies: [
                "APNS", "Conditions", "DeviceCore", "Geodesy", "LocationEngine", "LocationSources", "PushEngine",
                "Sharing", "SharingEngine", "Vocabulary", .dequeModule, .orderedCollections,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["SystemSimulator", .argumentParser, "JSONReading"],
            swiftSettings: strict
        ),
        .target(
            name: "LocationTesting",
            dependencies: [
                "APNS", "CLinux", "CoreLocation", "CVirtualTime", "DeviceCore", "Geodesy", "LocationEngine",
                "LocationHost", "LocationSources", "LocationWire", "LocationWireMessages", "PushEngine",
                "Vocabulary", .dequeModule, .protobuf,
            ],
            swiftSettings: strict
        ),

        // MARK: For people who write stores, buses, sources and senders of their own: the rules that ours keep.
        .target(
            name: "WhereaboutsTestKit",
            dependencies: [
                "APNS", "LocationEngine", "LocationHost", "PushEngine", "Sharing", "SharingEngine", "SharingServer",
                "Vocabulary",
            ],
            swiftSettings: strict
        ),

        // MARK: Executables: parse arguments, build the graph, run.
        .executableTarget(
            name: "locationd",
            dependencies: [
                "CLinux", "LocationDaemon", "LocationSources", "OptionFiles", "Supervision", "Vocabulary",
                .argumentParser, .logging,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "locationctl",
            dependencies: [
                "APNS", "CLinux", "LocationSources", "LocationWire", "LocationWireMessages", "Vocabulary",
                .argumentParser,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "locationd-geoclue",
            dependencies: ["CLinux", "GeoClueService", "Supervision", "Vocabulary", .argumentParser, .logging],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "whereabouts",
            dependencies: [
                "APNSClient", "APNS", "CLinux", "Certificates", "Connecting", "Listening", "MetricsPage", "OptionFiles",
                "PushGateway",
                "Sharing", "SharingEngine",
                "SharingServer",
                "Supervision",
                "Vocabulary", .argumentParser, .asyncHTTPClient, .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix,
                .serviceLifecycle, .unixSignals, "JSONReading",
            ],
            swiftSettings: strict
        ),

        // MARK: For the demo, the end-to-end tests and the benchmarks: the real binaries, started together.
        .target(
            name: "Rig",
            dependencies: ["CLinux", "Certificates", .crypto],
            path: "Examples/Rig",
            swiftSettings: strict
        ),
        // It starts the programs; as its dependencies they are built with it, and nothing else is.
        .executableTarget(
            name: "demo",
            dependencies: [
                "FindFriends", "FindFriendsLocationPush", "Rig", "location-launch", "locationctl", "locationd",
                "whereabouts",
            ],
            path: "Examples/Demo",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "attack",
            dependencies: [
                "APNS", "APNSClient", "LocationWire", "LocationWireMessages", "PushEngine", "PushLink",
                "PushLinkMessages", "Rig", "Sharing", "SharingEngine",
                "Vocabulary", .argumentParser, .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .protobuf,
                "JSONReading",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "soak",
            dependencies: [
                "APNS", "APNSClient", "FindFriends", "FindFriendsLocationPush", "JSONReading", "ProbeExtension",
                "PushEngine", "PushLink", "Rig", "Vocabulary", "location-launch", "locationctl", "locationd",
                "whereabouts", .argumentParser, .asyncHTTPClient, .crypto, .logging, .nioCore, .nioPosix,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                "APNS", "APNSClient", "BenchmarkLimits", "CAllocations", "CLinux", "Conditions", "FieldLogs", "Geodesy",
                "LocationEngine",
                "Listening", "LocationSources", "LocationWire", "LocationWireMessages", "ProbeExtension", "PushEngine",
                "PushGateway", "PushLink", "Rig", "Sharing", "SystemSimulator", "Vocabulary",
                .asyncHTTPClient, .crypto, .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .protobuf,
            ],
            path: "Benchmarks",
            exclude: [
                "APNSClient/aioapns-load.py", "APNSLoad", "Allocations", "BareHTTP2", "BareSSE", "BuildReference",
                "GPSDClient", "GeoClueClient", "Limits", "Minimal", "Outside", "README.md",
                "Reference", "Simulation",
                "UpdatesClient", "limits.tsv",
            ],
            swiftSettings: strict
        ),
        .target(name: "BenchmarkLimits", path: "Benchmarks/Limits", swiftSettings: strict),
        .target(name: "CAllocations", path: "Benchmarks/Allocations"),
        .executableTarget(
            name: "updates-client",
            dependencies: ["CoreLocation"],
            path: "Benchmarks/UpdatesClient",
            swiftSettings: appStyle
        ),
        .executableTarget(name: "gpsd-client", path: "Benchmarks/GPSDClient", swiftSettings: appStyle),
        .executableTarget(
            name: "geoclue-client",
            dependencies: ["CSystemBus"],
            path: "Benchmarks/GeoClueClient",
            swiftSettings: appStyle
        ),
        .executableTarget(
            name: "simulation",
            dependencies: ["CoreLocation", "LocationTesting"],
            path: "Benchmarks/Simulation",
            swiftSettings: appStyle
        ),
        .executableTarget(name: "minimal", path: "Benchmarks/Minimal", swiftSettings: strict),
        .executableTarget(
            name: "apns-load",
            dependencies: [
                "APNS", "APNSClient", .logging, .nioCore, .nioHPACK, .nioHTTP2, .nioPosix, .nioSSL,
            ],
            path: "Benchmarks/APNSLoad",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "bare-http2",
            dependencies: [.nioCore, .nioHPACK, .nioHTTP2, .nioPosix, .nioSSL],
            path: "Benchmarks/BareHTTP2",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "bare-sse",
            dependencies: [.hummingbird, .hummingbirdTLS, .nioCore, .nioSSL],
            path: "Benchmarks/BareSSE",
            swiftSettings: strict
        ),

        // MARK: The example app, as an app developer writes it.
        .target(
            name: "Friends",
            dependencies: ["CoreLocation", "Sharing"],
            path: "Examples/FindFriends/Friends",
            swiftSettings: appStyle
        ),
        .executableTarget(
            name: "FindFriends",
            dependencies: ["CoreLocation", "Friends", "Sharing"],
            path: "Examples/FindFriends/FindFriends",
            exclude: ["Info.plist"],
            swiftSettings: appStyle
        ),
        .executableTarget(
            name: "FindFriendsLocationPush",
            dependencies: ["CoreLocation", "Friends", "Sharing"],
            path: "Examples/FindFriends/FindFriendsLocationPush",
            exclude: ["Info.plist", "Entitlements.plist"],
            swiftSettings: appStyle
        ),

        // MARK: Tests.
        .testTarget(
            name: "FindFriendsTests",
            dependencies: [
                "APNS", "CoreLocation", "FindFriends", "FindFriendsLocationPush", "Friends", "LocationTesting",
                "Sharing",
                "SharingEngine", "SharingServer", "SharingStoreModel", "Vocabulary", .coreMetrics, .hummingbird,
                .logging, .nioCore, .nioEmbedded,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ProbeExtension",
            dependencies: ["CoreLocation"],
            path: "Tests/ProbeExtension",
            swiftSettings: appStyle
        ),
        .executableTarget(
            name: "ProbeMonitor",
            dependencies: ["CoreLocation"],
            path: "Tests/ProbeMonitor",
            swiftSettings: appStyle
        ),
        .testTarget(
            name: "VocabularyTests",
            dependencies: ["Vocabulary"],
            swiftSettings: strict
        ),
        .testTarget(name: "JSONReadingTests", dependencies: ["JSONReading"], swiftSettings: strict),
        .testTarget(
            name: "OptionFilesTests",
            dependencies: ["OptionFiles", .argumentParser],
            swiftSettings: strict
        ),
        .testTarget(
            name: "GeodesyTests",
            dependencies: ["Geodesy", "Vocabulary"],
            exclude: ["geodesics.tsv"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ConditionsTests",
            dependencies: [
                "Conditions", "FieldLogs", "Geodesy", "LocationEngine", "LocationSources", "Vocabulary",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "APNSTests",
            dependencies: ["APNS", "Vocabulary"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PushEngineTests",
            dependencies: ["PushEngine", "APNS", "SystemSimulator", "Vocabulary"],
            swiftSettings: strict
        ),
        // A push server that misbehaves, for the tests of each that sends to one.
        .target(
            name: "FakeAPNS",
            dependencies: ["Certificates", .nioCore, .nioHPACK, .nioHTTP2, .nioPosix, .nioSSL],
            path: "Tests/FakeAPNS",
            swiftSettings: strict
        ),
        .testTarget(
            name: "APNSClientTests",
            dependencies: [
                "APNS", "APNSClient", "FakeAPNS", "MetricsPage", .crypto, .logging, .nioCore,
                .nioPosix,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PushGatewayTests",
            dependencies: [
                "Certificates", "FakeAPNS",
                "PushGateway", "PushEngine", "PushLink", "PushLinkMessages", "APNS", "APNSClient", "MetricsPage", "Rig",
                "SharingServer", "SystemSimulator", "Vocabulary", "WhereaboutsTestKit", .asyncHTTPClient,
                .coreMetrics, .crypto, .grdb,
                .logging, .nioCore, .nioEmbedded, .nioHPACK, .nioHTTP2, .nioPosix, .nioSSL, .nioTLS, .protobuf,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SharingEngineTests",
            dependencies: ["APNS", "SharingEngine", "SystemSimulator", "Vocabulary"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SharingTests",
            dependencies: [
                "Connecting", "PushEngine", "Sharing", "SharingEngine", "SystemSimulator", "Vocabulary",
                "WhereaboutsTestKit",
                .asyncHTTPClient, .crypto, .nioCore,
            ],
            swiftSettings: strict
        ),
        // The rules of a transport, and a server to see them at.
        .target(
            name: "TransportRules",
            dependencies: ["Sharing", .nioCore, .nioHTTP1, .nioPosix, .nioSSL],
            path: "Tests/TransportRules",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "transport-probe",
            dependencies: ["Sharing", "SharingURLSession", "TransportRules"],
            path: "Tests/TransportProbe",
            swiftSettings: strict
        ),
        // The server's store in memory, for the tests of each that runs a server without a disk.
        .target(
            name: "SharingStoreModel",
            dependencies: ["SharingEngine", "SharingServer", "SystemSimulator"],
            path: "Tests/SharingStoreModel",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SharingServerTests",
            dependencies: [
                "Certificates",
                "SharingServer", "Sharing", "SharingEngine", "SharingStoreModel", "APNS", "APNSClient", "Rig",
                "TransportRules", "Vocabulary", "WhereaboutsTestKit", "transport-probe", "whereabouts", "Connecting",
                .asyncHTTPClient, .crypto, .grdb, .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SystemSimulatorTests",
            dependencies: [
                "DeviceCore", "LocationEngine", "Rig", "SharingEngine", "ShellTranscripts", "SystemSimulator",
                "Vocabulary", "simulate", .orderedCollections,
            ],
            exclude: ["Kept"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DurableStorageTests",
            dependencies: ["DurableStorage"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LocationSourcesTests",
            dependencies: ["FieldLogs", "LocationSources", "Vocabulary"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LocationEngineTests",
            dependencies: ["Conditions", "Geodesy", "LocationEngine", "Vocabulary", .orderedCollections],
            swiftSettings: strict
        ),
        // What every shell around the core must be seen to do, for the tests of each.
        // Where logs of real receivers are, for the tests and the benchmark that read them.
        .target(name: "FieldLogs", path: "Tests/FieldLogs", swiftSettings: strict),
        .target(
            name: "ShellTranscripts",
            dependencies: ["LocationEngine", "LocationWireMessages", "Vocabulary", .protobuf],
            path: "Tests/ShellTranscripts",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Puppet",
            dependencies: ["LocationWire"],
            path: "Tests/Puppet",
            swiftSettings: strict
        ),
        .testTarget(
            name: "DeviceCoreTests",
            dependencies: ["APNS", "DeviceCore", "LocationEngine", "Vocabulary", .orderedCollections],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LocationWireTests",
            dependencies: ["LocationWire", "LocationWireMessages", .protobuf],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CoreLocationTests",
            dependencies: [
                "CoreLocation", "Listings", "LocationEngine", "LocationWireMessages", "Vocabulary", .protobuf,
            ],
            swiftSettings: strict
        ),
        // Apple's listings as they are, warnings and all: in the mode they were written in.
        .target(
            name: "Listings",
            dependencies: ["CoreLocation"],
            path: "Tests/Listings",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .target(name: "Compatibility", path: "Tests/Compatibility/Module", swiftSettings: strict),
        .executableTarget(
            name: "gap",
            dependencies: ["Compatibility", "CoreLocation"],
            path: "Tests/Compatibility/Gap",
            swiftSettings: strict
        ),
        .testTarget(
            name: "CompatibilityTests",
            dependencies: ["Compatibility", "CoreLocation", "_LocationEssentials"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LocationAppTests",
            dependencies: ["CoreLocation", "LocationApp", "LocationWireMessages", .protobuf],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LocationDaemonTests",
            dependencies: [
                "APNS", "CLinux", "Certificates", "DeviceCore", "LocationDaemon", "LocationEngine", "LocationHost",
                "LocationSources", "LocationWire", "LocationWireMessages", "ProbeExtension", "ProbeMonitor", "Puppet",
                "Rig", "ShellTranscripts", "Vocabulary", "WhereaboutsTestKit", .crypto, .logging, .nioCore, .nioHTTP1,
                .nioPosix, .protobuf,
            ],
            exclude: ["SystemBus"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "GeoClueTests",
            dependencies: ["GeoClue", "Vocabulary"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LocationctlTests",
            dependencies: ["locationctl", "LocationWireMessages", "Rig", .protobuf],
            swiftSettings: strict
        ),
        // Apps as app developers write them; they know nothing of virtual devices.
        .target(
            name: "VirtualApps",
            dependencies: ["CoreLocation"],
            path: "Tests/VirtualApps",
            swiftSettings: appStyle
        ),
        .testTarget(
            name: "LocationTestingTests",
            dependencies: [
                "APNS", "CoreLocation", "DeviceCore", "LocationEngine", "LocationHost", "LocationTesting",
                "LocationWireMessages", "ShellTranscripts", "VirtualApps", "Vocabulary", .protobuf,
            ],
            exclude: ["Timelines"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CertificatesTests",
            dependencies: ["Certificates", .asn1, .certificates, .crypto],
            swiftSettings: strict
        ),
        .testTarget(name: "BootClockTests", dependencies: ["BootClock", "Vocabulary"], swiftSettings: strict),
        .testTarget(
            name: "ConnectingTests",
            dependencies: ["Connecting", "Vocabulary", .nioCore, .nioEmbedded, .nioSSL],
            swiftSettings: strict
        ),
        .testTarget(name: "SupervisionTests", dependencies: ["Rig", "Supervision"], swiftSettings: strict),
        .testTarget(
            name: "ListeningTests",
            dependencies: ["Certificates", "Listening", "Vocabulary", .nioCore, .nioEmbedded, .nioSSL],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MetricsPageTests",
            dependencies: ["MetricsPage", .coreMetrics, .nioCore, .nioPosix],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AttackTests",
            dependencies: ["attack"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SoakTests",
            dependencies: ["soak"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["Rig"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "APNS", "CoreLocation", "DeviceCore", "LocationDaemon", "LocationEngine", "LocationHost",
                "LocationSources", "LocationWire", "LocationWireMessages", "PushEngine", "PushGateway", "PushLink",
                "PushLinkMessages",
                "Sharing", "SharingEngine", "Vocabulary", "locationctl", .logging, .nioCore, .nioEmbedded, .protobuf,
            ],
            exclude: ["FailCases"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TidyTests",
            dependencies: ["BenchmarkLimits", .crypto],
            exclude: ["imports.txt"],
            swiftSettings: strict
        ),
    ]
)

// All that is ours but the tests, as what one target depends on. `swift build --build-tests` would also compile the plugins
// of our dependencies and what those need: a whole protoc, twice, which takes longer than all of ours.
package.targets.append(
    .target(
        name: "Everything",
        dependencies: package.targets.filter { $0.type != .test }.map { .target(name: $0.name) },
        swiftSettings: strict
    )
)

// `make sanitize` and `make mutants` build a part each, in a place of its own; the rest would only take time.
let parts: [String: Set<String>] = [
    "WHEREABOUTS_SANITIZE": [
        "_LocationEssentials", "CoreLocation", "CoreLocationSubmodules", "CoreLocationTests", "Conditions", "Geodesy",
        "LocationApp",
        "Listings", "LocationAppTests", "LocationEngine", "LocationWire", "LocationWireMessages", "Vocabulary",
    ],
    "WHEREABOUTS_MUTANTS": [
        "APNS", "Conditions", "DeviceCore", "DurableStorage", "DeviceCoreTests", "Geodesy", "LocationEngine",
        "LocationEngineTests",
        "LocationSources", "PushEngine", "Sharing", "SharingEngine", "simulate", "SystemSimulator", "Vocabulary",
    ],
]
for (variable, needed) in parts where Context.environment[variable] != nil {
    package.targets.removeAll { !needed.contains($0.name) }
    package.products.removeAll { !needed.contains($0.name) }
    for target in package.targets {
        let settings = target.swiftSettings ?? []
        if variable == "WHEREABOUTS_SANITIZE" { target.swiftSettings = settings + [.define("SANITIZE")] }
        // It is compiled anew for every mutant, and runs a few seeds.
        if target.name == "SystemSimulator" { target.swiftSettings = settings + [.unsafeFlags(["-Onone"])] }
    }
}
