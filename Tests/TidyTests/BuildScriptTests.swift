internal import Foundation
internal import Testing

/// Goal: `dev/build` skips SwiftPM only if SwiftPM would build the same.
@Suite struct BuildScriptTests {
    /// A tree with one source file, and a fake Swift that counts its calls and fails on demand.
    private struct Tree: ~Copyable {
        let root = FileManager.default.temporaryDirectory.appending(path: "build-\(UUID().uuidString)")

        init() throws {
            for folder in ["dev", "bin", "Sources", "Tests", "Tools", "Examples", "Benchmarks"] {
                try FileManager.default.createDirectory(
                    at: self.root.appending(path: folder),
                    withIntermediateDirectories: true
                )
            }
            try FileManager.default.copyItem(
                at: SourceTree.root.appending(path: "dev/build"),
                to: self.root.appending(path: "dev/build")
            )
            try self.write("", to: "Package.swift")
            try self.write("one", to: "Sources/File.swift")
            try self.write("#!/bin/sh\necho >>calls\n[ ! -e Sources/fault ]\n", to: "bin/swift")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: self.root.appending(path: "bin/swift").path
            )
        }

        deinit { try? FileManager.default.removeItem(at: self.root) }

        func write(_ text: String, to name: String) throws {
            try Data(text.utf8).write(to: self.root.appending(path: name))
        }

        func remove(_ name: String) throws {
            try FileManager.default.removeItem(at: self.root.appending(path: name))
        }

        /// Builds, and returns whether SwiftPM was called.
        func build(_ arguments: String...) throws -> Bool {
            let calls = self.root.appending(path: "calls")
            try? FileManager.default.removeItem(at: calls)
            let process = Process()
            process.executableURL = self.root.appending(path: "dev/build")
            process.arguments = arguments
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            process.environment = ["PATH": "\(self.root.path)/bin:/usr/bin:/bin"]
            try process.run()
            process.waitUntilExit()
            return FileManager.default.fileExists(atPath: calls.path)
        }
    }

    @Test func anUnchangedTreeIsNotBuiltAgain() throws {
        let tree = try Tree()
        #expect(try tree.build() && !tree.build())
        #expect(try tree.build("demo") && !tree.build("demo") && tree.build("--release") && !tree.build("--release"))
    }

    @Test func eachChangeIsBuilt() throws {
        let tree = try Tree()
        #expect(try tree.build() && !tree.build())
        try tree.write("two", to: "Sources/File.swift")
        #expect(try tree.build() && !tree.build())
        try tree.write("new", to: "Tests/File.swift")
        #expect(try tree.build() && !tree.build())
        try tree.remove("Tests/File.swift")
        #expect(try tree.build() && !tree.build())
    }

    /// The programs of the intermediate tree may exist.
    @Test func aChangeThatIsTakenBackIsBuilt() throws {
        let tree = try Tree()
        #expect(try tree.build())
        try tree.write("two", to: "Sources/File.swift")
        #expect(try tree.build("demo"))
        try tree.write("one", to: "Sources/File.swift")
        #expect(try tree.build())
        try tree.write("", to: "Sources/fault")
        #expect(try tree.build() && tree.build(), "a build that failed counts as complete")
        try tree.remove("Sources/fault")
        #expect(try tree.build())
    }

    @Test func aCacheThatIsNewerThanTheTreeIsNotBelieved() throws {
        let tree = try Tree()
        #expect(try tree.build())
        try tree.write("two", to: "Sources/File.swift")
        let later = [FileAttributeKey.modificationDate: Date.now.addingTimeInterval(3600)]
        try FileManager.default.setAttributes(later, ofItemAtPath: tree.root.appending(path: ".build/built").path)
        #expect(try tree.build())
    }
}
