internal import Foundation
internal import Rig
internal import Testing

/// What was printed was written, or the exit status says so.
@Suite(.timeLimit(.minutes(1))) struct StandardOutputTests {
    /// Runs locationctl in a shell; what it said on standard error comes along.
    private func run(_ line: String) throws -> (ended: Child.Ended, errors: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "ctl-\(UUID().uuidString)")
            .path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: log) }
        let script = line.replacing("locationctl", with: try Binaries().path("locationctl"))
        let ended = try Child("sh", "/bin/sh", ["-c", script], log: log).waitForEnd(within: 30)
        return (ended, try String(contentsOfFile: log, encoding: .utf8))
    }

    /// Little that waits for the end, much that does not, what the parser prints, and what an error follows.
    @Test(arguments: ["track --duration 1", "track", "--help", "help status", "--generate-completion-script bash"])
    func aFullDiskIsAnError(_ verb: String) throws {
        let (ended, errors) = try self.run("locationctl \(verb) >/dev/full")
        #expect(ended.status == 1)
        #expect(errors.hasPrefix("Error: standard output cannot be written"), "\(errors)")
        #expect(errors.count { $0 == "\n" } == 1, "\(errors)")
    }

    @Test func aReaderThatGoesIsNone() throws {
        let (ended, errors) = try self.run("locationctl track | head -n 1")
        #expect(ended.status == 0 && ended.output.hasPrefix("$") && errors == "", "\(errors)")
        // Also where whoever started it ignores the signal.
        let ignored = try self.run("trap '' PIPE; locationctl track | head -n 1")
        #expect(ignored.ended.status == 0 && ignored.errors == "", "\(ignored.errors)")
    }

    @Test func otherwiseTheStatusIsTheVerbs() throws {
        #expect(try self.run("locationctl track --duration 1").ended.status == 0)
        #expect(try self.run("locationctl nonsense").ended.status == 64)
    }
}
