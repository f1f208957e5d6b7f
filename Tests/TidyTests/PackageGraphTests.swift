internal import Foundation
internal import Testing

/// Goal: our package can be used beside other packages.
///
/// SwiftPM refuses a graph in which two packages declare targets with one name.
@Suite struct PackageGraphTests {
    @Test func everyModuleThatAPackageGraphLoadsHasOurPrefix() throws {
        let names = try PackageManifest.ours().targetsOfProducts
        #expect(names.count > 30)
        let ours = names.filter { $0.hasPrefix(PackageManifest.prefix) }
        #expect(names.subtracting(ours) == ["CoreLocation", "_LocationEssentials"])
    }

    /// Goal: an app that uses all our products resolves beside a package with the names of our folders, of Point-Free's
    /// swift-sharing and other public packages, and of our tests and tools.
    @Test func anAppResolvesBesideAPackageWithCommonNames() throws {
        let manifest = try PackageManifest.ours()
        let common = ["Sharing", "Geodesy", "APNS", "Certificates", "GeoClue", "Utilities", "Benchmarks"]
        let names = Set(common + manifest.targets.map(\.name)).subtracting(["CoreLocation", "_LocationEssentials"])
        let products = [
            "CoreLocation", "WhereaboutsLocationApp", "WhereaboutsSharing", "WhereaboutsSharingURLSession",
            "WhereaboutsAPNSClient", "WhereaboutsLocationTesting", "WhereaboutsSharingTesting", "WhereaboutsTestKit",
            "WhereaboutsMockAPNS", "locationd",
        ]
        try Self.withPackages(neighbour: names.subtracting(["WhereaboutsTestKit"]).sorted(), products) { app in
            try SwiftPackage.run(["show-dependencies"], in: app)
        }
    }

    /// Goal: the check above fails if a name is declared twice.
    ///
    /// Method: without traits, which would fetch other packages.
    @Test func aNameThatIsDeclaredTwiceIsRefused() throws {
        let failure = #expect(throws: SwiftPackage.Failure.self) {
            try Self.withPackages(neighbour: ["WhereaboutsGeodesy"], ["CoreLocation"], traits: ", traits: []") { app in
                try SwiftPackage.run(["show-dependencies"], in: app)
            }
        }
        #expect(failure?.description.contains("conflicting name: 'WhereaboutsGeodesy") ?? false)
    }

    /// Goal: the partial packages of `make sanitize` and `make mutants` have all their targets.
    ///
    /// Without this test, a missing target shows only when somebody runs them.
    @Test(arguments: ["dev/sanitize", "dev/mutants", "dev/swiftbuild-check"])
    func aReducedManifestIsValid(_ script: String) throws {
        let text = try SourceTree.file(script).text
        let only = try #require(text.firstMatch(of: /ONLY ?= ?"([^"]+)"/)?.output.1)
        // In a copy, because SwiftPM would write Package.resolved here.
        try Self.withTemporaryDirectory { folder in
            let files = FileManager.default
            for name in ["Package.swift", "Sources", "Tools", "Tests", "Benchmarks", "Examples"] {
                try files.createSymbolicLink(
                    at: folder.appending(path: name),
                    withDestinationURL: SourceTree.root.appending(path: name)
                )
            }
            try SwiftPackage.run(["describe"], in: folder, environment: ["WHEREABOUTS_ONLY": String(only)])
        }
    }

    /// Makes an app with two dependencies: this package, and one with libraries of some names.
    private static func withPackages(
        neighbour names: [String],
        _ products: [String],
        traits: String = "",
        _ body: (URL) throws -> Void
    ) throws {
        try Self.withTemporaryDirectory { folder in
            let files = FileManager.default
            let neighbour = folder.appending(path: "neighbour")
            for name in names {
                let sources = neighbour.appending(path: "Sources/\(name)")
                try files.createDirectory(at: sources, withIntermediateDirectories: true)
                try Data("let x = 0\n".utf8).write(to: sources.appending(path: "X.swift"))
            }
            let manifest = """
                // swift-tools-version: 6.2
                import PackageDescription
                let names = \(names)
                let package = Package(
                    name: "neighbour",
                    products: names.map { .library(name: "Other\\($0)", targets: [$0]) },
                    targets: names.map { .target(name: $0) }
                )
                """
            try Data(manifest.utf8).write(to: neighbour.appending(path: "Package.swift"))
            let app = folder.appending(path: "app")
            try files.createDirectory(at: app.appending(path: "Sources/App"), withIntermediateDirectories: true)
            try Data().write(to: app.appending(path: "Sources/App/main.swift"))
            let text = """
                // swift-tools-version: 6.2
                import PackageDescription
                let ours = \(products).map { Target.Dependency.product(name: $0, package: "whereabouts") }
                let others = \(names).map { Target.Dependency.product(name: "Other\\($0)", package: "neighbour") }
                let package = Package(
                    name: "app",
                    platforms: [.macOS(.v15)],
                    dependencies: [
                        .package(name: "whereabouts", path: "\(SourceTree.root.path)"\(traits)),
                        .package(path: "../neighbour"),
                    ],
                    targets: [.executableTarget(name: "App", dependencies: ours + others)]
                )
                """
            try Data(text.utf8).write(to: app.appending(path: "Package.swift"))
            try body(app)
        }
    }

    private static func withTemporaryDirectory(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "graph-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }
}
