internal import Foundation
internal import Testing

@testable internal import locationctl

/// The names that `locationctl new` refuses: a package with one of them could not be resolved.
@Suite struct TakenNamesTests {
    @Test func eachModuleOfThisPackageIsTaken() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        let named = manifest.matches(of: /\.(?:target|systemLibrary)\(\s*name: "(\w+)"/).map { String($0.1) }
        let modules = named.filter {
            FileManager.default.fileExists(atPath: root.appending(path: "Sources/\($0)").path(percentEncoded: false))
        }
        #expect(modules.count > 30)
        #expect(Set(modules).subtracting(TakenNames.modules).isEmpty)
    }
}
