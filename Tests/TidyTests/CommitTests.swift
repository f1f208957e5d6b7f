internal import Foundation
internal import Testing

/// Goal: `make commits` accepts exactly the messages that follow the rule of `CONTRIBUTING.md`.
@Suite struct CommitTests {
    /// Runs the checker on a message.
    private static func complaints(on message: String) throws -> (status: Int32, text: String) {
        let file = FileManager.default.temporaryDirectory.appending(path: "message-\(UUID())")
        try Data(message.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let errors = Pipe()
        process.executableURL = SourceTree.root.appending(path: "dev/commits")
        process.arguments = ["--message", file.path]
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test(arguments: [
        "locationd: keep a push that the disk did not take\n\nIts acknowledgement came too early.\n",
        "core-location: rename a type\n", "docs: wrap lines",
        "# a comment of git\ntests: wait for an event\n\nA sleep was too short.\n# another one\n",
    ])
    func aGoodMessageIsAccepted(_ message: String) throws {
        let (status, text) = try Self.complaints(on: message)
        #expect(status == 0 && text.isEmpty, "\(text)")
    }

    @Test(arguments: [
        ("locationd: keep pushes", "there is no body"), ("Fix it\n\nWhy.", "not 'area: verb what'"),
        ("locationd: Keep pushes\n\nWhy.", "not 'area: verb what'"), ("a: keep b.\n\nWhy.", "full stop"),
        ("a: keep b; drop c\n\nWhy.", "semicolon"), ("a: keep b\nWhy.", "second line"),
        ("a: keep " + String(repeating: "b", count: 70) + "\n\nWhy.", "78 characters"),
    ])
    func aBadMessageIsNamed(_ message: String, _ words: String) throws {
        let (status, text) = try Self.complaints(on: message)
        #expect(status == 1 && text.contains(words), "\(text)")
    }
}
