internal import Foundation
internal import Rig
internal import Testing

/// Tests for unintended command lines and environments: each causes an error message, and none is accepted as something
/// else.
@Suite(.timeLimit(.minutes(1))) struct WrongInputTests {
    private func run(_ line: String) throws -> (ended: Child.Ended, errors: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "ctl-\(UUID().uuidString)")
            .path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: log) }
        let script = line.replacing("locationctl", with: try Binaries().path("locationctl"))
        let ended = try Child("sh", "/bin/sh", ["-c", script], log: log).waitForEnd(within: 30)
        return (ended, try String(contentsOfFile: log, encoding: .utf8))
    }

    @Test(arguments: [
        ("settings ''", "an empty text is not an app's bundle identifier"),
        ("settings '' location always", "an empty text is not an app's bundle identifier"),
        ("settings a.b location never location always", "location is given twice; give it once"),
        ("settings a.b precise maybe", "precise is on or off, not maybe"),
        ("status --runtime ''", "--runtime needs a directory; leave it out for the default"),
        ("agent --runtime ''", "--runtime needs a directory; leave it out for the default"),
        ("new App --bundle com..foo --whereabouts https://e.org/w", "of letters, digits, hyphens and single dots"),
        ("new App --bundle app --whereabouts https://e.org/w", "--bundle must be like com.example.App"),
        ("new App --bundle geoclue.foo --whereabouts https://e.org/w", "--bundle must not begin with geoclue."),
        ("new App --bundle Locationd.x --whereabouts https://e.org/w", "--bundle must not begin with geoclue."),
        ("new App --bundle com.example.App --whereabouts /nonexistent", "'/nonexistent' is neither"),
        ("new App --bundle com.example.App --whereabouts /etc", "'/etc' is neither"),
        ("new HeapModule --bundle com.example.App --whereabouts /src", "'HeapModule' is the name of a module"),
    ])
    func aCommandLineThatNobodyMeansIsWrongUsage(_ verb: String, _ words: String) throws {
        let (ended, errors) = try self.run("locationctl \(verb)")
        #expect(ended.status == 64 && errors.contains(words), "\(errors)")
        // The usage of the subcommand, not of locationctl.
        #expect(errors.contains("locationctl \(verb.prefix { $0 != " " })"), "\(errors)")
    }

    /// Goal: a file that cannot be written is not a usage error.
    @Test func aLogThatCannotBeWrittenIsAFailure() throws {
        let (ended, errors) = try self.run("locationctl track --duration 1 --output /proc/none/walk.nmea")
        #expect(ended.status == 1 && errors.contains("cannot write /proc/none/walk.nmea"), "\(errors)")
    }

    /// Goal: a connection to locationd never replaces a standard stream that was closed by the caller of locationctl.
    @Test func closedDescriptorsAreNobodysSockets() throws {
        // A socket that accepts connections and sends nothing: an agent with that socket as its input would wait
        // forever.
        let path = FileManager.default.temporaryDirectory.appending(path: "ctl-\(UUID().uuidString.prefix(8))")
            .path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let listener =
            "import os, socket, sys; os.mkdir(sys.argv[1]); s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); "
            + "s.bind(sys.argv[1] + '/agent.socket'); s.listen(); print('ready', flush=True); c = s.accept()[0]; c.recv(1); "
            + "import signal; signal.pause()"
        let locationd = try Child("python3", "/usr/bin/python3", ["-c", listener, path], log: path + ".log")
        defer { locationd.terminate() }
        _ = try locationd.waitForLine(within: 20) { $0 == "ready" }
        let (ended, errors) = try self.run("locationctl agent --runtime '\(path)' <&-")
        #expect(ended.status == 0 && errors == "", "\(errors)")
        #expect(try self.run("locationctl help status >&-").ended.status == 1)
    }
}
