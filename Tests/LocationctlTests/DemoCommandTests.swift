internal import Foundation
internal import Glibc
internal import Rig
internal import Testing

/// Tests `locationctl demo` with the real programs: a person answers, sees positions, and nothing is left afterwards.
@Suite(.serialized, .timeLimit(.minutes(2))) final class DemoCommandTests {
    private let place: URL

    init() throws {
        self.place = FileManager.default.temporaryDirectory.appending(path: "demo-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: self.place, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: self.place) }

    /// Starts a demo that reads its input from a pipe with a name.
    private func start() throws -> (demo: Child, input: FileHandle) {
        let pipe = self.place.appending(path: "input").path(percentEncoded: false)
        let made = unsafe mkfifo(pipe, 0o600)
        try #require(made == 0)
        let script = "exec 3<>'\(pipe)'; exec '\(try Binaries().path("locationctl"))' demo <&3 3<&-"
        let demo = try Child(
            "demo",
            "/bin/sh",
            ["-c", script],
            environment: ["TMPDIR": self.place.path(percentEncoded: false)],
            log: self.place.appending(path: "errors").path(percentEncoded: false)
        )
        return (demo, try #require(FileHandle(forUpdatingAtPath: pipe)))
    }

    /// Answers the prompt with the choice that contains these words.
    private func answer(_ words: String, _ demo: Child, _ input: FileHandle) throws {
        let choice = try demo.waitForLine(within: 30) { $0.hasSuffix(words) }
        let number = try #require(choice.split(separator: " ").first)
        try input.write(contentsOf: Data("\(number)\n".utf8))
    }

    /// The directory of the demo, and the processes that have it in their arguments.
    private var left: (directories: [String], processes: [String]) {
        get throws {
            let files = FileManager.default
            let directories = try files.contentsOfDirectory(atPath: self.place.path(percentEncoded: false))
                .filter { $0.hasPrefix("locationctl-demo-") }
            let word = "\(self.place.lastPathComponent)/locationctl-demo-"
            let processes = try files.contentsOfDirectory(atPath: "/proc").filter { name in
                guard Int(name) != nil, let line = files.contents(atPath: "/proc/\(name)/cmdline") else {
                    return false
                }
                return String(decoding: line, as: UTF8.self).contains(word)
            }
            return (directories, processes)
        }
    }

    @Test func personWhoAllowsSeesTheWalkAndNothingIsLeft() throws {
        let (demo, input) = try self.start()
        defer { demo.kill() }
        try self.answer("Allow While Using App", demo, input)
        // On the harbour walk.
        _ = try demo.waitForLine(within: 30) { $0.hasPrefix("Walk: 53.54") && $0.hasSuffix(" m") }
        try input.write(contentsOf: Data("q\n".utf8))
        #expect(try demo.waitForEnd(within: 30).status == 0)
        let left = try self.left
        #expect(left.directories == [] && left.processes == [])
    }

    @Test func personWhoRefusesSeesThatTheAppKnowsNothing() throws {
        let (demo, input) = try self.start()
        defer { demo.kill() }
        try self.answer("Don't Allow", demo, input)
        _ = try demo.waitForLine(within: 30) { $0 == "Walk: no position, because you did not allow it" }
        try input.write(contentsOf: Data("q\n".utf8))
        #expect(try demo.waitForEnd(within: 30).status == 0)
    }

    /// Goal: a killed demo leaves no service and no files behind.
    @Test func demoThatIsKilledIsRemovedToo() throws {
        let (demo, input) = try self.start()
        defer { try? input.close() }
        _ = try demo.waitForLine(within: 30) { $0.hasSuffix("Don't Allow") }
        let there = try self.left
        #expect(!there.directories.isEmpty && !there.processes.isEmpty)
        demo.kill()
        // `tail` ends with the process.
        for process in there.processes {
            let log = self.place.appending(path: "errors").path(percentEncoded: false)
            let arguments = ["--pid=\(process)", "-f", "-s", "0.1", "/dev/null"]
            let end = try Child("tail", "/usr/bin/tail", arguments, log: log)
            _ = try end.waitForEnd(within: 30)
        }
        let left = try self.left
        #expect(left.directories == [] && left.processes == [])
    }
}
