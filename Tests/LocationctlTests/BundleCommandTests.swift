internal import Foundation
internal import Rig
internal import Testing

/// Goal: `locationctl bundle` makes bundles, and deletes nothing else.
@Suite(.timeLimit(.minutes(1))) final class BundleCommandTests {
    private let place: String

    init() throws {
        self.place = FileManager.default.temporaryDirectory.appending(path: "ctl-\(UUID().uuidString)")
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: self.place + "/app", withIntermediateDirectories: true)
        try self.write(
            "<plist version=\"1.0\"><dict><key>CFBundleExecutable</key><string>Test</string></dict></plist>",
            to: "app/Info.plist"
        )
        try self.write("#!/bin/sh\n", to: "Test")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: self.place + "/Test")
    }

    deinit { try? FileManager.default.removeItem(atPath: self.place) }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(self.place)/\(name)"))
    }

    private func bundle() throws -> (ended: Child.Ended, errors: String) {
        let log = self.place + "/errors.log"
        let ended = try Child(
            "locationctl",
            Binaries().path("locationctl"),
            ["bundle", "--app", self.place + "/app", "--products", self.place, "--output", self.place],
            log: log
        ).waitForEnd(within: 30)
        return (ended, try String(contentsOfFile: log, encoding: .utf8))
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: self.place).sorted() }
    }

    @Test func aBundleIsReplaced() throws {
        #expect(try self.bundle().ended.status == 0)
        try self.write("old", to: "Test.app/Extra")
        #expect(try self.bundle().ended.output == "\(self.place)/Test.app\n")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: self.place + "/Test.app").sorted() == [
                "Info.plist", "Test",
            ]
        )
    }

    @Test func aFolderThatIsNoBundleStays() throws {
        try FileManager.default.createDirectory(atPath: self.place + "/Test.app", withIntermediateDirectories: true)
        try self.write("mine", to: "Test.app/diary")
        let (ended, errors) = try self.bundle()
        #expect(ended.status == 1 && errors.contains("Test.app exists and is not a bundle; move it away"), "\(errors)")
        #expect(try String(contentsOfFile: self.place + "/Test.app/diary", encoding: .utf8) == "mine")
        #expect(try self.names == ["Test", "Test.app", "app", "errors.log"])
    }

    @Test func aFileOfThatNameStays() throws {
        try self.write("mine", to: "Test.app")
        #expect(try self.bundle().ended.status == 1)
        #expect(try String(contentsOfFile: self.place + "/Test.app", encoding: .utf8) == "mine")
    }
}
