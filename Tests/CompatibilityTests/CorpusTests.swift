internal import Compatibility
internal import Foundation
internal import Testing

/// Goal: small files in the style of real apps compile against the module in both language modes.
@Suite struct CorpusTests {
    static let folder = GapTests.root.appending(path: "Tests/Corpus")

    static func sources() throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: self.folder.path).filter { $0.hasSuffix(".swift") }.sorted()
            .map { self.folder.appending(path: $0) }
    }

    @Test(arguments: ["5", "6"]) func appsTypeCheck(inMode mode: String) async throws {
        let sources = try Self.sources()
        #expect(sources.count >= 40)
        let result = try await BuiltModule().typeCheck(sources, mode: mode)
        #expect(result.isRight, "\(result.output)")
        // The compiler reports only deprecations and the usual warnings.
        let warnings = result.output.split(separator: "\n").filter { $0.contains(".swift:") && $0.contains("warning:") }
        #expect(warnings.contains { $0.contains("getDistanceFrom") })
        let usual = ["is deprecated", "was deprecated", "declares a conformance of imported type"]
        let others = warnings.filter { line in !usual.contains { line.contains($0) } }
        // As for methods from Objective-C, Swift 6 warns about values that a completion handler captures. Swift 5 does
        // not.
        let captures = others.filter { $0.contains("CallbackCaptures.swift") && $0.contains("warning: capture of") }
        #expect(captures.count == (mode == "6" ? 4 : 0), "\(captures)")
        #expect(others.count == captures.count, "\(others)")
    }

    /// Goal: the line in docs/compatibility.md is correct.
    ///
    /// It must be removed when the compiler no longer requires it.
    @Test(arguments: [("nonisolated ", true), ("", false)])
    func aModuleOfTheMainActorSaysThatItsSubclassesAreNot(_ word: String, _ isRight: Bool) async throws {
        let code = """
            import CoreLocation
            \(word)final class ParkedManager: CLLocationManager {
                override var location: CLLocation? { CLLocation(latitude: 37.3349, longitude: -122.009) }
            }
            final class Follower: NSObject, CLLocationManagerDelegate {
                private let manager = CLLocationManager()
                func follow() { manager.delegate = self }
                func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
            }
            """
        let file = FileManager.default.temporaryDirectory.appending(path: "isolated-\(UUID().uuidString).swift")
        try Data(code.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let options = ["-default-isolation", "MainActor"]
        let result = try await BuiltModule().typeCheck([file], mode: "6", options)
        #expect(result.isRight == isRight, "\(result.output)")
        #expect(result.output.contains("different actor isolation") != isRight, "\(result.output)")
    }

    @Test(arguments: ["5", "6"]) func anErrorIsFound(inMode mode: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "corpus-\(UUID().uuidString).swift")
        try Data("import CoreLocation\nlet here = CLLocation(latitude: \"north\", longitude: 0)\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let result = try await BuiltModule().typeCheck([file], mode: mode)
        #expect(!result.isRight && result.output.contains("error:"))
    }
}
