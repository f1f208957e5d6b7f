internal import Compatibility
internal import Foundation
internal import Testing

/// Small files in the style of real apps compile against the module, in both language modes.
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
        // Deprecations and the usual warnings are all the compiler tells.
        let warnings = result.output.split(separator: "\n").filter { $0.contains(".swift:") && $0.contains("warning:") }
        #expect(warnings.contains { $0.contains("getDistanceFrom") })
        let usual = [
            "is deprecated", "was deprecated", "declares a conformance of imported type",
            // `await monitor.events`, which Apple's module needs.
            "ConditionMonitor.swift:18:32: warning: no 'async' operations",
        ]
        let others = warnings.filter { line in !usual.contains { line.contains($0) } }
        #expect(others.isEmpty)
    }

    @Test(arguments: ["5", "6"]) func anErrorIsFound(inMode mode: String) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "corpus-\(UUID().uuidString).swift")
        try Data("import CoreLocation\nlet here = CLLocation(latitude: \"north\", longitude: 0)\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let result = try await BuiltModule().typeCheck([file], mode: mode)
        #expect(!result.isRight && result.output.contains("error:"))
    }
}
