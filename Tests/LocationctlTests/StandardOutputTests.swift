internal import Foundation
internal import Rig
internal import Testing

/// Goal: locationctl fails if its output cannot be written, so that a script does not accept a truncated text.
@Suite(.timeLimit(.minutes(1))) struct StandardOutputTests {
    /// Runs locationctl in a shell, and includes its standard error in the output.
    private func run(_ line: String) throws -> (ended: Child.Ended, errors: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "ctl-\(UUID().uuidString)")
            .path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: log) }
        let script = line.replacing("locationctl", with: try Binaries().path("locationctl"))
        let ended = try Child("sh", "/bin/sh", ["-c", script], log: log).waitForEnd(within: 30)
        return (ended, try String(contentsOfFile: log, encoding: .utf8))
    }

    /// Short output that is written at exit, long output, and the argument parser's output.
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
        // This also holds if the parent process ignores the signal.
        let ignored = try self.run("trap '' PIPE; locationctl track | head -n 1")
        #expect(ignored.ended.status == 0 && ignored.errors == "", "\(ignored.errors)")
    }

    @Test func otherwiseTheStatusIsTheVerbs() throws {
        #expect(try self.run("locationctl track --duration 1").ended.status == 0)
        #expect(try self.run("locationctl nonsense").ended.status == 64)
    }
}
