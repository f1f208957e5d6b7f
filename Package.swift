// swift-tools-version: 6.2
import PackageDescription

#if canImport(Glibc)
import Glibc
#endif

// MARK: Settings

/// Whether the package is for Apple's platforms, whose SDK has a CoreLocation of its own.
///
/// WHEREABOUTS_APPLE shows that package on Linux.
#if os(Linux)
let isApple = Context.environment["WHEREABOUTS_APPLE"] != nil
#else
let isApple = true
#endif

/// The language of all our Swift code.
let language: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
]

/// The settings of all our Swift code: a warning is an error where we can see it.
let strict = isApple ? language : language + [.treatAllWarnings(as: .error), .strictMemorySafety()]

/// Whether SwiftPM fetched this package for another one; it refuses unsafe flags there.
let isFetched = Context.packageDirectory.split(separator: "/").dropLast().last == "checkouts"

/// Compiles a module as a whole.
///
/// Swift Build decides this itself: with these flags it waits for files that the compiler does not write. A manifest
/// cannot see the build system, so `dev/swiftbuild-check` sets WHEREABOUTS_SWIFT_BUILD.
let whole =
    Context.environment["WHEREABOUTS_SWIFT_BUILD"] == nil
    ? ["-whole-module-optimization", "-disable-batch-mode", "-num-threads", "2"] : []

/// What optimises a target in a build for debugging, with its assertions kept (ADR 0123).
let optimised: SwiftSetting = .unsafeFlags(
    ["-O", "-assert-config", "Debug"] + whole,
    .when(configuration: .debug)
)

/// Links a program in C completely, without Swift's runtime and without a dynamic linker.
///
/// SwiftPM links each program with `swiftc`, which adds the runtime and libstdc++: location-launch then takes 4.0 ms to start
/// instead of 0.9. The program is loaded at a fixed address, because glibc refuses one at a random address with the RUNPATH that
/// SwiftPM adds. Debian has the static libraries in the packages that the compiler needs anyway.
let complete: [LinkerSetting] = {
    #if canImport(Glibc)
    let isPossible = ["x86_64", "aarch64"].contains { access("/usr/lib/\($0)-linux-gnu/libc.a", R_OK) == 0 }
    let isLinkedBySwiftc = Context.environment["WHEREABOUTS_SWIFT_BUILD"] == nil
    guard isPossible, isLinkedBySwiftc, !isFetched, !isApple else { return [] }
    return [.unsafeFlags(["-nostartfiles", "-static-executable"])]
    #else
    return []
    #endif
}()

/// Other settings, by the mark of a target: C, code that protoc wrote (strict memory safety would need annotations in it),
/// and the plain Swift of an app developer's package.
let styles: [String: [SwiftSetting]] = [
    "c": [],
    "generated": [.swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault")],
    "app": [.swiftLanguageMode(.v6)],
    "swift5": [.swiftLanguageMode(.v5)],
]

// MARK: Packages of others

/// The packages below https://github.com that our targets import: owner and name, version, the traits that need the
/// package, and the products that we import.
///
/// SwiftPM fetches a package only if an enabled trait needs it.
let packages = """
    apple/swift-collections 1.6.0: HeapModule DequeModule OrderedCollections
    apple/swift-protobuf 1.39.0: SwiftProtobuf
    apple/swift-crypto 4.5.2 Push Sharing: Crypto
    apple/swift-distributed-tracing.git 1.6.0 Push Sharing: Tracing
    apple/swift-log 1.16.2 Push Sharing: Logging
    apple/swift-metrics 2.7.0 Push Sharing: CoreMetrics
    apple/swift-nio 2.101.2 Push Sharing: NIOCore NIOHTTP1 NIOPosix
    apple/swift-nio-http2 1.46.0 Push Sharing: NIOHPACK NIOHTTP2
    apple/swift-nio-ssl 2.37.6 Push Sharing: NIOSSL
    apple/swift-crypto 4.5.2 Sharing: CryptoExtras
    swift-server/async-http-client 1.37.0 Sharing: AsyncHTTPClient
    LebJe/TOMLKit 0.6.0 Programs: TOMLKit
    apple/swift-argument-parser 1.8.2 Programs: ArgumentParser
    apple/swift-asn1 1.7.4 Programs: SwiftASN1
    apple/swift-certificates 1.21.1 Programs: X509
    apple/swift-nio 2.101.2 Programs: NIOEmbedded NIOTLS
    apple/swift-nio-extras 1.35.0 Programs: NIOHTTPTypes
    groue/GRDB.swift 7.10.0 Programs: GRDB
    hummingbird-project/hummingbird 2.28.1 Programs: Hummingbird HummingbirdCore HummingbirdTLS
    swift-server/swift-service-lifecycle 2.13.0 Programs: ServiceLifecycle UnixSignals
    """

/// Products of another package, as a line of the table says.
struct Import {
    let location: String
    let version: Version
    let traits: Set<String>
    let products: [String]

    init(_ line: Substring) {
        let sides = line.split(separator: ": ")
        let words = sides[0].split(separator: " ").map(String.init)
        self.location = "https://github.com/" + words[0]
        self.version = Version(words[1]) ?? Version(0, 0, 0)
        self.traits = Set(words.dropFirst(2))
        self.products = sides[1].split(separator: " ").map(String.init)
    }

    /// The package's name, as SwiftPM takes it from the location.
    var package: String { String(self.location.split(separator: "/").last ?? "").replacing(/\.git$/, with: "") }

    var dependency: Package.Dependency {
        // Below 1.0 each minor version may break its users.
        let range = self.version.major == 0 ? self.version..<Version(0, self.version.minor + 1, 0) : nil
        return range.map { .package(url: self.location, $0) } ?? .package(url: self.location, from: self.version)
    }
}

let imports = packages.split(separator: "\n").map(Import.init)
let imported = Dictionary(uniqueKeysWithValues: imports.flatMap { entry in entry.products.map { ($0, entry) } })

// MARK: Targets

/// All targets, below the folder that the heading names.
///
/// A line is a target: its name, what is special about it, a colon, and the modules that it imports. An indented line
/// continues the one above it.
///
/// - `program`, `system`: an executable, or a system library; a name that ends in `Tests` is a test target; everything else
///   is a library.
/// - `c`, `generated`, `app`, `swift5`: C, code that protoc wrote, or Swift with the settings of an app developer's package.
/// - `complete`: a program in C that is linked without a library at run time.
/// - `computes`: tests that compute for minutes; they are optimised like a core.
/// - `trait=`: only this trait needs the target.
/// - `module=`, `path=`, `without=`, `links=`: the name of the module and of the folder, if they are not the target's own;
///   files that are no sources; libraries to link.
let table = """
    # Sources/Support: modules that every wing may import
    Vocabulary: HeapModule
    Geodesy:
    HostSupport: CLinux Vocabulary
    CLinux c:
    Certificates: Crypto SwiftASN1 X509
    NetworkSupport: Vocabulary CoreMetrics Logging NIOCore NIOHTTP1 NIOHTTP2 NIOPosix NIOSSL
    Console: CPages NIOCore NIOHTTP1 NIOPosix
    CPages c without=page:
    JSONReading:
    OptionFiles: JSONReading ArgumentParser TOMLKit
    DurableStorage:
    CLibPQ c trait=PostgreSQL:
    DatabaseFiles: CLibPQ GRDB
    # Sources/Apps: what an app links
    CoreLocation: CoreLocationSubmodules Geodesy LocationWire LocationWireMessages Vocabulary SwiftProtobuf
    _LocationEssentials: CoreLocation
    CoreLocationSubmodules c:
    LocationApp: CoreLocation
    # Sources/Device: the engine, and the daemon around it
    Conditions: Geodesy Vocabulary
    LocationEngine: Conditions Geodesy Vocabulary DequeModule OrderedCollections
    DeviceCore: APNS LocationEngine PushEngine Vocabulary DequeModule OrderedCollections
    LocationWireMessages generated without=agent.proto,location_wire.proto: SwiftProtobuf
    LocationWire: LocationWireMessages SwiftProtobuf
    LocationHost: DeviceCore LocationEngine LocationWire LocationWireMessages Vocabulary SwiftProtobuf
    LocationSources: Geodesy JSONReading Vocabulary
    LocationDaemon: APNS CLinux Conditions DeviceCore DurableStorage HostSupport JSONReading LocationEngine LocationHost
        LocationSources LocationWire LocationWireMessages NetworkSupport PushEngine PushLink PushLinkMessages Vocabulary
        AsyncHTTPClient Crypto Logging NIOCore NIOHTTP1 NIOPosix NIOSSL OrderedCollections SwiftProtobuf
    locationd program module=Locationd: CLinux HostSupport LocationDaemon LocationSources OptionFiles Vocabulary
        ArgumentParser Logging
    locationctl program module=Locationctl: APNS CLinux Console CoreLocation LocationSources LocationWire
        LocationWireMessages Vocabulary ArgumentParser
    location-launch program c complete module=LocationLaunch:
    # Sources/Desktop: geoClue's name on the system bus
    GeoClue: Vocabulary
    GeoClueService: CSystemBus GeoClue HostSupport LocationWire LocationWireMessages Vocabulary Logging SwiftProtobuf
    CSystemBus system:
    locationd-geoclue program module=LocationdGeoClue: CLinux GeoClueService HostSupport Vocabulary ArgumentParser
        Logging
    # Sources/Push: the APNs client, the gateway, and the link to a device
    APNS: Vocabulary
    PushEngine: APNS Vocabulary DequeModule
    PushLinkMessages generated without=push_link.proto: SwiftProtobuf
    PushLink: APNS HostSupport NetworkSupport PushEngine PushLinkMessages Vocabulary Crypto Logging NIOCore NIOPosix
        NIOSSL SwiftProtobuf
    PushGateway: APNS APNSClient DatabaseFiles JSONReading NetworkSupport PushEngine PushLink PushLinkMessages
        Vocabulary CoreMetrics Crypto GRDB Logging NIOCore NIOHPACK NIOHTTP1 NIOHTTP2 NIOPosix NIOSSL NIOTLS
        ServiceLifecycle SwiftProtobuf
    APNSClient: APNS JSONReading NetworkSupport PushEngine Vocabulary CoreMetrics Crypto DequeModule Logging NIOCore
        NIOHPACK NIOHTTP2 NIOPosix NIOSSL Tracing
    # Sources/Sharing: grants, requests, answers, and their server
    SharingEngine: APNS Geodesy Vocabulary DequeModule
    Sharing: DurableStorage Geodesy JSONReading NetworkSupport SharingEngine Vocabulary AsyncHTTPClient Crypto
        CryptoExtras NIOCore NIOHTTP1 NIOSSL
    SharingURLSession: Sharing
    SharingServer: APNS APNSClient CPages DatabaseFiles DurableStorage JSONReading NetworkSupport Sharing
        SharingEngine Vocabulary CoreMetrics Crypto GRDB Hummingbird HummingbirdCore HummingbirdTLS Logging NIOCore
        NIOHTTPTypes NIOSSL NIOTLS ServiceLifecycle
    whereabouts program module=Command: APNS APNSClient Certificates CLinux Console DatabaseFiles HostSupport
        JSONReading MockAPNS NetworkSupport OptionFiles PushEngine PushGateway Sharing SharingEngine SharingServer
        Vocabulary ArgumentParser AsyncHTTPClient Crypto Logging NIOCore NIOHTTP1 NIOPosix ServiceLifecycle
        UnixSignals
    # Sources/Testing: what the tests of other people link
    LocationTesting: APNS CLinux CoreLocation CVirtualTime DeviceCore Geodesy JSONReading LocationEngine LocationHost
        LocationSources LocationWire LocationWireMessages PushEngine Vocabulary DequeModule SwiftProtobuf
    WhereaboutsTestKit: APNS LocationEngine LocationHost PushEngine Sharing SharingEngine SharingServer Vocabulary
    SharingTesting: APNS LocationTesting Sharing SharingEngine SharingServer NIOEmbedded
    MockAPNS: Certificates PushEngine PushGateway NIOCore NIOPosix NIOSSL
    CVirtualTime c links=BlocksRuntime,dispatch:
    # Tools: programs of this repository that none of our packages contains
    Rig: Certificates CLinux JSONReading Crypto
    demo program: FindFriends FindFriendsLocationPush location-launch locationctl locationd Rig whereabouts GRDB
    SystemSimulator: APNS Conditions DeviceCore Geodesy LocationEngine LocationSources PushEngine Sharing SharingEngine
        Vocabulary DequeModule OrderedCollections
    formal program: SharingEngine Vocabulary
    city program: Geodesy SharingEngine Vocabulary ArgumentParser
    simulate program: JSONReading SystemSimulator ArgumentParser
    attack program: APNS APNSClient JSONReading LocationWire LocationWireMessages PushEngine PushLink PushLinkMessages
        Rig Sharing SharingEngine Vocabulary ArgumentParser Crypto Logging NIOCore NIOHPACK NIOHTTP1 NIOHTTP2 NIOPosix
        NIOSSL SwiftProtobuf
    soak program: APNS APNSClient FindFriends FindFriendsLocationPush JSONReading location-launch locationctl locationd
        ProbeExtension PushEngine PushLink Rig Vocabulary whereabouts ArgumentParser AsyncHTTPClient Crypto Logging
        NIOCore NIOPosix
    # Benchmarks: benchmarks, and the programs that they measure and compare with
    benchmarks program path=. without=APNSClient/aioapns-load.py,APNSLoad,Allocations,BareHTTP2,BareSSE,BuildReference
        without=GPSDClient,GeoClueClient,Limits,Minimal,Outside,README.md,Reference,Simulation
        without=UpdatesClient,limits.tsv: APNS APNSClient BenchmarkLimits CAllocations CLinux Conditions DatabaseFiles
        FieldLogs Geodesy LocationEngine LocationSources LocationWire LocationWireMessages NetworkSupport ProbeExtension
        PushEngine PushGateway PushLink Rig Sharing SharingEngine SystemSimulator Vocabulary AsyncHTTPClient Crypto Logging
        NIOCore NIOHPACK NIOHTTP1 NIOHTTP2 NIOPosix NIOSSL SwiftProtobuf
    BenchmarkLimits path=Limits:
    CAllocations c path=Allocations:
    updates-client program app path=UpdatesClient: CoreLocation
    gpsd-client program app path=GPSDClient:
    geoclue-client program app path=GeoClueClient: CSystemBus
    simulation program app path=Simulation: CoreLocation LocationTesting
    minimal program path=Minimal:
    apns-load program path=APNSLoad: APNS APNSClient Logging NIOCore NIOHPACK NIOHTTP2 NIOPosix NIOSSL
    bare-http2 program path=BareHTTP2: NIOCore NIOHPACK NIOHTTP2 NIOPosix NIOSSL
    bare-sse program path=BareSSE: GRDB Hummingbird HummingbirdTLS NIOCore NIOSSL
    # Examples: the example app, as an app developer writes it
    Friends app path=FindFriends/Friends: CoreLocation Sharing
    FindFriends program app path=FindFriends/FindFriends without=Info.plist: CoreLocation Friends Sharing
    FindFriendsLocationPush program app path=FindFriends/FindFriendsLocationPush without=Info.plist,Entitlements.plist:
        CoreLocation Friends Sharing
    FriendsTests app path=FindFriends/FriendsTests: Friends Sharing
    # Tests: tests
    FindFriendsTests: CoreLocation FindFriends FindFriendsLocationPush Friends LocationTesting Sharing SharingEngine
        SharingTesting
    VocabularyTests: Vocabulary
    JSONReadingTests: JSONReading
    OptionFilesTests: OptionFiles ArgumentParser
    GeodesyTests without=geodesics.tsv: Geodesy Vocabulary
    ConditionsTests computes: Conditions FieldLogs Geodesy LocationEngine LocationSources Vocabulary
    APNSTests: APNS Vocabulary
    PushEngineTests: APNS PushEngine SystemSimulator Vocabulary
    APNSClientTests: APNS APNSClient FakeAPNS NetworkSupport Vocabulary Crypto Logging NIOCore NIOPosix
    PushGatewayTests: APNS APNSClient Certificates DatabaseFaults DatabaseFiles FakeAPNS NetworkSupport PushEngine
        PushGateway PushLink PushLinkMessages Rig SharingEngine SharingServer SystemSimulator Vocabulary
        WhereaboutsTestKit AsyncHTTPClient CoreMetrics Crypto GRDB Logging NIOCore NIOEmbedded NIOHPACK NIOHTTP2
        NIOPosix NIOSSL NIOTLS SwiftProtobuf
    MockAPNSTests: APNS APNSClient MockAPNS PushEngine PushGateway Rig Vocabulary AsyncHTTPClient Crypto
        Logging NIOCore NIOHTTP1 NIOPosix NIOSSL
    SharingEngineTests: APNS Geodesy SharingEngine SystemSimulator Vocabulary
    SharingTests: Geodesy NetworkSupport PushEngine Sharing SharingEngine SystemSimulator Vocabulary WhereaboutsTestKit
        AsyncHTTPClient Crypto NIOCore
    SharingServerTests: APNS APNSClient Certificates DatabaseFaults DatabaseFiles FakeAPNS Geodesy NetworkSupport Rig Sharing
        SharingEngine SharingServer SharingStoreModel transport-probe TransportRules Vocabulary whereabouts
        WhereaboutsTestKit ArgumentParser AsyncHTTPClient Crypto GRDB Logging NIOCore NIOHTTP1 NIOPosix NIOSSL
    SystemSimulatorTests without=Kept: DeviceCore LocationEngine Rig SharingEngine ShellTranscripts simulate
        SystemSimulator Vocabulary OrderedCollections
    DurableStorageTests: DurableStorage
    DatabaseFilesTests: DatabaseFiles GRDB
    LocationSourcesTests: FieldLogs LocationSources Vocabulary
    LocationEngineTests: Conditions Geodesy LocationEngine Vocabulary OrderedCollections
    DeviceCoreTests: APNS DeviceCore LocationEngine Vocabulary OrderedCollections
    LocationWireTests: LocationWire LocationWireMessages SwiftProtobuf
    CoreLocationTests: CoreLocation Listings LocationEngine LocationWireMessages Vocabulary SwiftProtobuf
    CompatibilityTests: _LocationEssentials Compatibility CoreLocation
    LocationAppTests: CoreLocation LocationApp LocationWireMessages SwiftProtobuf
    LocationDaemonTests without=SystemBus: APNS Certificates CLinux DeviceCore LocationDaemon LocationEngine
        LocationHost LocationSources LocationWire LocationWireMessages ProbeExtension ProbeMonitor Puppet Rig
        ShellTranscripts Vocabulary WhereaboutsTestKit Crypto Logging NIOCore NIOHTTP1 NIOPosix SwiftProtobuf
    GeoClueTests: GeoClue Vocabulary
    LocationctlTests: locationctl LocationWireMessages Rig SwiftProtobuf
    LocationTestingTests without=Timelines: APNS CoreLocation DeviceCore FieldLogs LocationEngine LocationHost
        LocationTesting LocationWireMessages ShellTranscripts VirtualApps Vocabulary SwiftProtobuf
    CertificatesTests: Certificates Crypto SwiftASN1 X509
    HostSupportTests: HostSupport Rig Vocabulary
    NetworkSupportTests: Certificates Console NetworkSupport Vocabulary AsyncHTTPClient CoreMetrics NIOCore NIOEmbedded
        NIOHTTP1 NIOPosix NIOSSL
    AttackTests: attack
    FormalTests: formal
    SoakTests: soak
    EndToEndTests: Rig Sharing Vocabulary
    FuzzTests computes without=FailCases: APNS CoreLocation DeviceCore Geodesy locationctl LocationDaemon LocationEngine
        LocationHost LocationSources LocationWire LocationWireMessages PushEngine PushGateway PushLink PushLinkMessages Sharing
        SharingEngine Vocabulary Logging NIOCore NIOEmbedded SwiftProtobuf
    TidyTests computes without=imports.txt: BenchmarkLimits Crypto
    # Tests: what several test targets share, and the apps that they run
    ProbeExtension program app: CoreLocation
    ProbeMonitor program app: CoreLocation
    DatabaseFaults: NIOCore NIOPosix
    FakeAPNS: Certificates NIOCore NIOHPACK NIOHTTP2 NIOPosix NIOSSL
    TransportRules: Sharing NIOCore NIOHTTP1 NIOPosix NIOSSL NIOTLS
    transport-probe program path=TransportProbe: Sharing SharingURLSession TransportRules
    SharingStoreModel: SharingEngine SharingServer SystemSimulator
    FieldLogs:
    ShellTranscripts: LocationEngine LocationWireMessages Vocabulary SwiftProtobuf
    Puppet program: LocationWire
    WhereaboutsPowerCut c path=PowerCut:
    Listings swift5: CoreLocation
    Compatibility path=Compatibility/Module:
    gap program path=Compatibility/Gap: Compatibility CoreLocation
    VirtualApps app: CoreLocation
    """

/// A target, as its line in a table says.
struct Part {
    let name: String
    let uses: [String]
    let folder: String
    private let marks: Set<String>
    private let values: [String: [String]]

    init(_ line: String, in folder: String) {
        let sides = line.split(separator: ":", maxSplits: 1)
        let words = sides[0].split(separator: " ").map(String.init)
        self.name = words[0]
        // Only the part that does not need our CoreLocation is built on Apple's platforms.
        let uses = isApple && self.name == "LocationTesting" ? "LocationSources" : sides.dropFirst().first ?? ""
        self.uses = uses.split(separator: " ").map(String.init)
        self.folder = folder
        self.marks = Set(words.dropFirst().filter { !$0.contains("=") })
        let pairs = words.filter { $0.contains("=") }.map { $0.split(separator: "=").map(String.init) }
        self.values = Dictionary(pairs.map { ($0[0], $0[1].split(separator: ",").map(String.init)) }) { $0 + $1 }
    }

    /// The name in the package graph.
    ///
    /// A target below `Sources` has our prefix: SwiftPM refuses a graph in which two packages declare targets of one name.
    var module: String {
        let isAppleName = ["CoreLocation", "_LocationEssentials"].contains(self.name)
        let keepsName = !self.folder.hasPrefix("Sources/") || isAppleName || self.name.hasPrefix("Whereabouts")
        return (keepsName ? "" : "Whereabouts") + (self.values["module"]?[0] ?? self.name)
    }

    var trait: String? { self.values["trait"]?[0] }

    var target: Target {
        let dependencies: [Target.Dependency] = self.uses.map { name in
            guard let product = imported[name] else {
                guard let trait = traits[name] else { return .target(name: moduleName(name)) }
                return .target(name: moduleName(name), condition: .when(traits: [trait]))
            }
            return .product(
                name: name,
                package: product.package,
                condition: product.traits.isEmpty ? nil : .when(traits: product.traits)
            )
        }
        let path = self.values["path"]?[0] ?? self.name
        let place = path == "." ? self.folder : "\(self.folder)/\(path)"
        if self.marks.contains("system") { return .systemLibrary(name: self.module, path: place) }
        let target: Target =
            if self.marks.contains("program") {
                .executableTarget(name: self.module, dependencies: dependencies, path: place)
            } else if self.name.hasSuffix("Tests") {
                .testTarget(name: self.module, dependencies: dependencies, path: place)
            } else {
                .target(name: self.module, dependencies: dependencies, path: place)
            }
        target.exclude = self.values["without"] ?? []
        target.swiftSettings = self.marks.lazy.compactMap { styles[$0] }.first ?? strict
        // A core needs no package of a trait. The other targets talk to networks, disks and people: they wait more than they
        // compute, and compile four times as fast unoptimised.
        let isCore = self.uses.allSatisfy { imported[$0]?.traits.isEmpty ?? true } && !self.name.hasSuffix("Tests")
        let isOptimised = (isCore || self.marks.contains("computes")) && !self.marks.contains("c")
        if isOptimised && !isFetched && !isApple { target.swiftSettings?.append(optimised) }
        if let trait = self.trait {
            target.cSettings = [.define("WHEREABOUTS_\(trait.uppercased())", .when(traits: [trait]))]
        }
        target.linkerSettings = self.values["links"]?.map { .linkedLibrary($0) }
        if self.marks.contains("complete") { target.linkerSettings = complete }
        return target
    }
}

let parts: [Part] = table.split(separator: "# ").flatMap { wing in
    let lines = wing.replacing("\n    ", with: " ").split(separator: "\n")
    return lines.dropFirst().map { Part(String($0), in: String(lines[0].prefix { $0 != ":" })) }
}
let modules = Dictionary(uniqueKeysWithValues: parts.map { ($0.name, $0.module) })
let traits = Dictionary(uniqueKeysWithValues: parts.compactMap { part in part.trait.map { (part.name, $0) } })

func moduleName(_ name: String) -> String {
    guard let module = modules[name] else { fatalError("Package.swift: no target is named \(name)") }
    return module
}

// MARK: Package

/// A library of the first target that is named, with the modules that its users import besides.
func library(_ targets: String) -> Product {
    let modules = targets.split(separator: " ").map { moduleName(String($0)) }
    return .library(name: modules[0], targets: modules)
}

func program(_ name: String) -> Product {
    .executable(name: name, targets: [moduleName(name)])
}

let package = Package(
    name: "whereabouts",
    // The first versions whose CryptoKit has X-Wing, which seals answers.
    platforms: [.macOS(.v26), .iOS(.v26)],
    products: [
        library("CoreLocation _LocationEssentials"),
        library("LocationApp"),
        library("Sharing"),
        library("SharingURLSession"),
        library("APNSClient APNS"),
        library("LocationTesting"),
        library("SharingTesting"),
        library("MockAPNS APNS PushEngine PushGateway"),
        library(
            "WhereaboutsTestKit APNS LocationEngine LocationHost PushEngine SharingEngine SharingServer Vocabulary"
        ),
        program("locationd"),
        program("locationctl"),
        program("location-launch"),
        program("locationd-geoclue"),
        program("whereabouts"),
        // For our tests: a process loads it, and the disk keeps only what the process synchronised.
        .library(name: "power-cut", type: .dynamic, targets: [moduleName("WhereaboutsPowerCut")]),
    ],
    traits: [
        .default(enabledTraits: ["Programs"]),
        .trait(name: "Push", description: "The library WhereaboutsAPNSClient, with HTTP/2 and TLS."),
        .trait(name: "Sharing", description: "The library WhereaboutsSharing, with an HTTP client and TLS."),
        .trait(name: "PostgreSQL", description: "The servers' stores on PostgreSQL, through libpq."),
        .trait(
            name: "Programs",
            description: "The daemon, the servers and the commands. A package that only tests apps leaves it out.",
            enabledTraits: ["Push", "Sharing", "PostgreSQL"]
        ),
    ],
    dependencies: Dictionary(grouping: imports, by: \.location).sorted { $0.key < $1.key }.map {
        $0.value[0].dependency
    },
    targets: parts.map(\.target)
)

// `dev/build` builds this target: everything but the tests. `swift build --build-tests` would also build the plugins of
// our dependencies, among them a whole protoc, which takes longer than all our targets.
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
//
// On Apple's platforms, these are the libraries that an app and its server link; most other targets need Linux.
let appleTargets = isApple ? "Sharing SharingURLSession APNSClient LocationTesting" : nil
if let only = appleTargets ?? Context.environment["WHEREABOUTS_ONLY"] {
    let uses = Dictionary(uniqueKeysWithValues: parts.map { ($0.name, $0.uses) })
    var (needed, next) = (Set<String>(), Set(only.split(separator: " ").map(String.init)))
    while !next.isEmpty {
        needed.formUnion(next)
        next = Set(next.flatMap { uses[$0] ?? [] }).subtracting(needed).filter { uses[$0] != nil }
    }
    let kept = Set(needed.map(moduleName))
    package.products.removeAll { product in
        guard let library = product as? Product.Library else { return true }
        return !(isApple || product.name == "power-cut") || !kept.isSuperset(of: library.targets)
    }
    package.targets.removeAll { !kept.contains($0.name) }
    let locations = Set(needed.flatMap { uses[$0] ?? [] }.compactMap { imported[$0]?.location })
    package.dependencies.removeAll { dependency in
        guard case .sourceControl(_, let location, _) = dependency.kind else { return false }
        return !locations.contains(location)
    }
    // The virtual device and `Constructed` need our CoreLocation, and listeners need Linux.
    for target in package.targets where isApple {
        switch target.name {
        case "WhereaboutsLocationTesting": target.sources = ["Values/Figures.swift", "Values/RecordedTrack.swift"]
        case "WhereaboutsNetworkSupport": target.sources = ["Connecting"]
        default: break
        }
    }
}
