internal import Foundation
internal import Glibc
internal import Rig
internal import Testing

/// Tests for command lines that locationd refuses, and for the error messages.
@Suite(.offPool, .timeLimit(.minutes(1))) struct CommandLineTests {
    private let scratch: Scratch

    init() throws { self.scratch = try Scratch() }

    /// Starts locationd, which must fail; returns its standard error.
    private func refused(_ arguments: [String]) throws -> (status: Int32, errors: String) {
        let log = self.scratch.path + "/locationd.log"
        let ended = try Child("locationd", Binaries().path("locationd"), arguments, log: log).waitForEnd(within: 30)
        return (ended.status, try String(contentsOfFile: log, encoding: .utf8))
    }

    @Test(arguments: ["--state", "--runtime"]) func anEmptyDirectoryIsNone(_ option: String) throws {
        let other = option == "--state" ? "--runtime" : "--state"
        let (status, errors) = try self.refused([option, "", other, self.scratch.path + "/other"])
        #expect(status == 64)
        #expect(errors.contains("\(option) needs a directory; leave it out for the default"), "\(errors)")
        #expect(!FileManager.default.fileExists(atPath: self.scratch.path + "/other"))
    }

    @Test(arguments: [
        (["--replay-speed", "2"], "--replay-speed needs a recording; name one with --replay"),
        (["--nmea", "-", "--nmea", "-"], "--nmea - may be given only once"),
        (["--replay", "x", "--replay-speed", "0"], "--replay-speed must be 0.01 to 1000, not 0.0"),
        (["--replay", "x", "--replay-jitter", "61"], "--replay-jitter must be 0 to 60 seconds, not 61.0"),
        (["--replay", "x", "--gpsd", "y"], "--replay cannot be combined with other sources"),
        (["--replay", "x", "--at", "1,2"], "--replay cannot be combined with other sources"),
        (["--at", "91,2"], "expected latitude,longitude in degrees"),
    ])
    func aPlaybackThatCannotBeIsRefused(_ arguments: [String], _ words: String) throws {
        let (status, errors) = try self.refused(arguments)
        #expect(status == 64 && errors.contains(words), "\(errors)")
    }

    /// Goal: an error in a file names the file.
    @Test(arguments: [
        ("nmea = [1, 2]", "nmea in ", "expected host:port, listen://"),
        ("replay-speed = 2", "replay-speed in ", "name one with --replay"),
        ("gateway = \"x:y\"", "gateway in ", "--gateway"),
        ("in-use-grace = 0", "in-use-grace in ", "expected 0.001 to 31536000 seconds"),
        ("push-budget-capacity = 2.5", "push-budget-capacity in ", "expected a whole number from 1 to 1000000"),
        ("extension-allowance = 5", "extension-allowance in ", "must be longer than 5.0 seconds"),
        ("app-users = \"1-2\"", "app-users in ", "expected first-last"),
    ])
    func theFileOfAWrongOptionIsNamed(_ toml: String, _ origin: String, _ words: String) throws {
        let path = self.scratch.path + "/options.toml"
        try Data(toml.utf8).write(to: URL(fileURLWithPath: path))
        let (status, errors) = try self.refused(["--config", path])
        #expect(status == 64 && errors.contains(origin + path) && errors.contains(words), "\(errors)")
    }

    @Test func theOptionOfAMissingFileIsNamed() throws {
        let directories = ["--state", self.scratch.path + "/state", "--runtime", self.scratch.path + "/run"]
        let (status, errors) = try self.refused(directories + ["--management", "/nonexistent.json"])
        #expect(status == 1 && errors.contains("/nonexistent.json does not exist; --management names it"), "\(errors)")
    }

    @Test(arguments: [
        ("<html></html>", "is it a GPX file?"),
        ("<trkpt lat=\"1\" lon=\"x\"/>", "point 1: lon=\"x\" is not a number of degrees"),
        ("{\"class\":\"VERSION\"}", "no position of gpsd's"), ("rubbish", "no NMEA 0183 fix with a date"),
    ])
    func aRecordingThatIsNoneIsRefused(_ content: String, _ words: String) throws {
        let path = self.scratch.path + "/recording"
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        let (status, errors) = try self.refused(
            ["--state", self.scratch.path + "/state", "--runtime", self.scratch.path + "/run", "--replay", path]
        )
        #expect(status == 1 && errors.contains(words), "\(errors)")
    }

    /// Goal: a signal right after the start ends locationd as at any other time.
    @Test(arguments: [SIGTERM, SIGINT]) func aSignalAtOnceIsAnEnd(_ signal: Int32) throws {
        let track = self.scratch.path + "/track.nmea"
        try Data("$GPRMC,120000.00,A,5332.75,N,00957.98,E,2.7,95.9,171126,,,A*60\r\n".utf8).write(
            to: URL(fileURLWithPath: track)
        )
        let child = try self.scratch.startLocationd(["--replay", track])
        kill(child.pid, signal)
        #expect(try child.waitForEnd(within: 30).status == 0)
    }

    /// Goal: two options with the same path are refused; the second one would wait for the first one forever.
    @Test(arguments: [
        (
            ["--program", "/tmp/./x", "--nmea-socket", "/tmp/x"],
            "--program and --nmea-socket name the same socket, /tmp/x"
        ),
        (["--coarse", "/tmp/x", "--coarse", "/tmp/x"], "two --coarse name the same socket, /tmp/x; give each"),
        (["--coarse", "/tmp/x", "--beacon-feed", "/tmp/x"], "--coarse and --beacon-feed name the same socket"),
    ])
    func onePathIsNotTwoSockets(_ arguments: [String], _ words: String) throws {
        let (status, errors) = try self.refused(arguments)
        #expect(status == 64 && errors.contains(words), "\(errors)")
    }

    @Test(arguments: [
        (["--nmea-socket", ""], "--nmea-socket needs a path"),
        (["--nmea-reader", "root"], "--nmea-reader needs --nmea-socket"),
        (["--nmea-socket", "/tmp/x", "--nmea-reader", "nobody-of-that-name"], "there is no such user"),
    ])
    func readersOfNothingAreRefused(_ arguments: [String], _ words: String) throws {
        let (status, errors) = try self.refused(
            ["--state", self.scratch.path + "/state", "--runtime", self.scratch.path + "/run"] + arguments
        )
        #expect(status == 64 && errors.contains(words), "\(errors)")
    }

    /// Goal: a regular file that an option names by mistake is not deleted.
    @Test func aSocketThatIsAFileIsNamed() throws {
        let path = self.scratch.path + "/mine"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let (status, errors) = try self.refused(
            ["--state", self.scratch.path + "/state", "--runtime", self.scratch.path + "/run", "--nmea-socket", path]
        )
        #expect(status == 1 && errors.contains("\(path) of --nmea-socket exists, and is not a socket"), "\(errors)")
        #expect(FileManager.default.contents(atPath: path) == Data("mine".utf8))
    }

    @Test func theLauncherSaysWhatItIs() throws {
        let log = self.scratch.path + "/launcher.log"
        let ended = try Child("location-launch", Binaries().path("location-launch"), ["--help"], log: log)
            .waitForEnd(within: 30)
        #expect(ended.status == 0 && ended.output.hasPrefix("usage: location-launch "), "\(ended.output)")
    }

    /// Goal: each app and extension starts through the launcher, which is linked statically.
    ///
    /// Method: with this variable, a dynamic linker lists the libraries instead of running the program.
    @Test(.enabled(if: Self.hasStaticLibrary, "glibc's static library is not where Debian has it"))
    func theLauncherLoadsNoLibrary() throws {
        let child = try Child(
            "location-launch",
            Binaries().path("location-launch"),
            ["--help"],
            environment: ["LD_TRACE_LOADED_OBJECTS": "1"],
            log: self.scratch.path + "/launcher.log"
        )
        let output = try child.waitForEnd(within: 30).output
        #expect(output.hasPrefix("usage: location-launch "), "\(output)")
    }

    private static let hasStaticLibrary = ["x86_64", "aarch64"].contains {
        FileManager.default.fileExists(atPath: "/usr/lib/\($0)-linux-gnu/libc.a")
    }

    /// Goal: log lines never end up in a socket or file that reuses the descriptor of a closed stream.
    @Test(
        .timeLimit(.minutes(1)),
        .enabled(if: geteuid() == 0, "skipped: locationd hides its descriptors from its own user")
    ) func closedStreamsArePlugged() throws {
        let locationd = try Child(
            "sh",
            "/bin/sh",
            [
                "-c", #"exec "$0" "$@" <&- >&- 2>&-"#, Binaries().path("locationd"), "--cgroup", "none",
                "--state", self.scratch.path + "/state", "--runtime", self.scratch.path + "/run",
            ],
            log: self.scratch.path + "/sh.log"
        )
        defer { locationd.kill() }
        func stream(_ number: Int) -> String? {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(locationd.pid)/fd/\(number)")
        }
        #expect(
            Waiting.until(within: 30) {
                FileManager.default.fileExists(atPath: self.scratch.path + "/run/control.socket")
            }
        )
        #expect((0...2).allSatisfy { stream($0) == "/dev/null" })
        let said = try Child(
            "sh",
            "/bin/sh",
            ["-c", #"exec "$0" --help >&-"#, Binaries().path("locationctl")],
            log: self.scratch.path + "/ctl.log"
        )
        #expect(try said.waitForEnd(within: 30).status != 0, "output that nobody gets is told")
    }

    /// Goal: the error names the missing bus, and the list of log levels contains no silent one.
    @Test func theBrokerNamesTheBusThatIsMissing() throws {
        func broker(_ arguments: [String]) throws -> (status: Int32, errors: String) {
            let log = self.scratch.path + "/broker.log"
            let child = try Child(
                "locationd-geoclue",
                Binaries().path("locationd-geoclue"),
                arguments,
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(self.scratch.path)/no-bus"],
                log: log
            )
            let status = try child.waitForEnd(within: 30).status
            return (status, try String(contentsOfFile: log, encoding: .utf8))
        }
        let missing = try broker([])
        #expect(missing.status == 1 && missing.errors.contains("unix:path=\(self.scratch.path)/no-bus"))
        #expect(missing.errors.contains("DBUS_SYSTEM_BUS_ADDRESS"), "\(missing.errors)")
        let level = try broker(["--log-level", "critical"])
        #expect(level.status == 64 && !level.errors.contains("notice, warning, error, critical"), "\(level.errors)")
    }

    /// The parser's description of a command; only the fields that the test needs.
    private struct Description: Decodable {
        struct Command: Decodable { let arguments: [Argument] }
        struct Argument: Decodable {
            struct Name: Decodable { let name: String }
            let names: [Name]?
            let sectionTitle: String?
            let abstract: String?

            /// The default value in brackets at the end of an option's help; a flag is off by default.
            var defaultValue: String {
                (self.abstract?.firstMatch(of: /\[([^\]]+)\]$/)?.output.1).map(String.init) ?? "off"
            }
        }
        let command: Command
    }

    /// Goal: the page lists each number of the device's policy with its default.
    @Test func thePageOfNumbersIsTrue() throws {
        let log = self.scratch.path + "/help.log"
        let help = try Child("locationd", Binaries().path("locationd"), ["--experimental-dump-help"], log: log)
            .waitForEnd(within: 30)
        let description = try JSONDecoder().decode(Description.self, from: Data(help.output.utf8))
        let options = description.command.arguments.filter { $0.sectionTitle == "Numbers of the device" }
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/policy.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == options.count && options.count > 5)
        for (row, option) in zip(rows, options) {
            let name = try #require(option.names?.first?.name)
            #expect(row.hasPrefix("| `\(name)` | \(option.defaultValue) | "), "\(row)")
        }
    }

    /// Goal: with another bus address, the error names the bus that does not answer, for every kind of address.
    @Test(arguments: ["tcp:host=127.0.0.1,port=9", "unix:path=/nowhere/bus"])
    func aBusThatDoesNotAnswerIsNamed(_ address: String) throws {
        let log = self.scratch.path + "/geoclue.log"
        let ended = try Child(
            "locationd-geoclue",
            Binaries().path("locationd-geoclue"),
            ["--runtime", self.scratch.path],
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": address],
            log: log
        ).waitForEnd(within: 30)
        let errors = try String(contentsOfFile: log, encoding: .utf8)
        #expect(ended.status == 1 && errors.contains("\(address), which DBUS_SYSTEM_BUS_ADDRESS names"), "\(errors)")
    }
}
