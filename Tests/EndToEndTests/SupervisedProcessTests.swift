internal import Foundation
internal import Rig
internal import Testing

/// Tests the programs as systemd starts them: `Type=notify`, with a watchdog.
@Suite(.timeLimit(.minutes(2))) final class SupervisedProcessTests {
    private let place: String

    init() throws {
        self.place = FileManager.default.temporaryDirectory.appending(path: "ws-\(UUID().uuidString)")
            .path(percentEncoded: false)
        try FileManager.default.createDirectory(atPath: self.place, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.place) }

    /// Starts a program and reads its notifications until it ends.
    private func follow(_ program: String, _ arguments: [String]) async throws {
        let (place, binaries) = (self.place, try Binaries())
        try await OwnThread.run {
            let socket = try NotifySocket()
            let child = try Child(
                program,
                binaries.path(program),
                arguments,
                environment: ["NOTIFY_SOCKET": socket.address, "WATCHDOG_USEC": "100000"],
                log: place + "/errors.log"
            )
            #expect(socket.next() == "READY=1")
            for _ in 0..<3 { #expect(socket.next() == "WATCHDOG=1") }
            child.terminate()
            var word = socket.next()
            while word == "WATCHDOG=1" { word = socket.next() }
            #expect(word == "STOPPING=1")
            #expect(try child.waitForEnd(within: 20).status == 0)
        }
    }

    @Test func locationdIsSupervised() async throws {
        try await self.follow(
            "locationd",
            ["--state", self.place + "/state", "--runtime", self.place + "/run", "--cgroup", "none"]
        )
    }

    @Test func theServersAreSupervised() async throws {
        let profile = self.place + "/server"
        let log = self.place + "/init.log"
        let made = try Child("init", Binaries().path("whereabouts"), ["init", profile], log: log).waitForEnd(within: 30)
        try #require(made.status == 0)
        // Uses free ports, so that another server on this machine does not disturb the test.
        let file = URL(filePath: profile + "/whereabouts.toml")
        let text = try String(contentsOf: file, encoding: .utf8)
        try Data(text.replacing(#/127\.0\.0\.1:(8443|5223|2197)/#, with: "127.0.0.1:0").utf8).write(to: file)
        try await self.follow("whereabouts", ["serve", profile])
    }

    @Test func aSupervisorThatIsNotThereIsSaid() throws {
        let log = self.place + "/errors.log"
        let child = try Child(
            "locationd",
            Binaries().path("locationd"),
            ["--state", self.place + "/state", "--runtime", self.place + "/run", "--cgroup", "none"],
            environment: ["NOTIFY_SOCKET": "/nowhere/notify"],
            log: log
        )
        #expect(try child.waitForEnd(within: 30).status == 1)
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("NOTIFY_SOCKET is '/nowhere/notify'"))
    }
}
