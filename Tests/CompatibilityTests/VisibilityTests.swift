internal import Compatibility
internal import Foundation
internal import Testing

/// A file that imports the module sees Apple's names and nothing of how they are made.
///
/// Every file that loads a module sees the members it adds to types of others, whether or not it imports it: with
/// swift-numerics below, `sqrt(self)` was an error in any app's `extension Double`.
@Suite struct VisibilityTests {
    /// swift-protobuf's two, which docs/compatibility.md names.
    static let known: Set<String> = [
        "Duration.init(_:)", "AsyncSequence.binaryProtobufDelimitedMessages(of:extensions:partial:options:)",
    ]

    @Test func nothingOfWhatTheModuleIsMadeOfIsAMemberElsewhere() async throws {
        let module = try BuiltModule()
        let dependencies = try await module.dependencies()
        #expect(
            dependencies.isSuperset(of: [
                "SwiftProtobuf", "WhereaboutsGeodesy", "WhereaboutsLocationWire", "WhereaboutsVocabulary",
            ])
        )
        var members: Set<String> = []
        for dependency in dependencies.sorted() { members.formUnion(try await module.members(addedBy: dependency)) }
        #expect(members == Self.known)
    }

    /// The compiler is notified of no module map, so that nothing it loads may be written in C but the toolchain's own.
    @Test(arguments: ["5", "6"]) func aPackageThatOnlyAsksForTheModuleCompiles(inMode mode: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "asking-\(UUID().uuidString).swift")
        let code = """
            #if canImport(CoreLocation)
            import CoreLocation
            extension CLLocation { var isAtNull: Bool { self.coordinate.latitude == 0 } }
            #else
            #error("the module is not found")
            #endif
            """
        try Data(code.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let result = try await BuiltModule().typeCheck([file], mode: mode)
        #expect(result.isRight && result.output.isEmpty, "\(result.output)")
    }
}
