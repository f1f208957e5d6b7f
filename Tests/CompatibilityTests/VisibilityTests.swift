internal import Compatibility
internal import Foundation
internal import Testing

/// Goal: a file that imports the module sees only Apple's names, and none of our implementation.
///
/// A file sees all members that loaded modules add to other modules' types, imported or not. When swift-numerics was
/// visible, `sqrt(self)` was an error in every app's `extension Double`.
@Suite struct VisibilityTests {
    /// The two names of swift-protobuf, which docs/compatibility.md lists.
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

    /// The compiler gets no module map, so only the toolchain's modules may be written in C.
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
