internal import Compatibility
internal import Foundation
internal import Testing

/// Tests for the module's documentation: its links name existing symbols, and its code compiles.
@Suite struct DocumentationTests {
    static let catalog = GapTests.root.appending(path: "Sources/Apps/CoreLocation/Documentation.docc")

    /// Calls the body with a temporary folder.
    static func withFolder(_ work: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "documentation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await work(folder)
    }

    @Test func everyLinkLeadsSomewhere() async throws {
        try await Self.withFolder { folder in
            try await BuiltModule().makeDocumentation(from: Self.catalog, to: folder.appending(path: "out"))
        }
    }

    @Test func aLinkToNothingIsFound() async throws {
        try await Self.withFolder { folder in
            let catalog = folder.appending(path: "Bad.docc")
            try FileManager.default.createDirectory(at: catalog, withIntermediateDirectories: true)
            try Data("# ``CoreLocation``\n\nSee ``CLNothing``.\n".utf8).write(to: catalog.appending(path: "A.md"))
            await #expect(throws: BuiltModule.Failure.self) {
                try await BuiltModule().makeDocumentation(from: catalog, to: folder.appending(path: "out"))
            }
        }
    }

    /// The Swift code of a page, with a file for each block.
    static func blocks(of page: String) -> [String] {
        page.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    }

    @Test func everyCodeBlockCompiles() async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.catalog.path).filter {
            $0.hasSuffix(".md")
        }
        let blocks = try names.sorted().flatMap { name in
            Self.blocks(of: try String(contentsOf: Self.catalog.appending(path: name), encoding: .utf8))
        }
        #expect(blocks.count >= 5)
        try await Self.withFolder { folder in
            let files = try blocks.enumerated().map { index, block in
                let file = folder.appending(path: "Block\(index).swift")
                try Data(block.utf8).write(to: file)
                return file
            }
            let result = try await BuiltModule().typeCheck(files, mode: "6")
            #expect(result.isRight, "\(result.output)")
        }
    }
}
