internal import Foundation
internal import Glibc
internal import Rig
internal import Testing

@testable internal import WhereaboutsLocationDaemon

/// Tests the whole life of a real app with a real locationd, as `locationctl` reports it.
@Suite(.offPool, .timeLimit(.minutes(3))) struct LifeCycleTests {
    private static let bundle = "com.example.FindFriends"

    /// The ways in which apps are suspended.
    enum Way: String {
        /// With cgroups, if the machine lets locationd create them.
        case own
        case none
    }

    static let ways: [Way] = (try? CgroupTree.find(.own, state: "")) == nil ? [.none] : [.own, .none]

    private let scratch: Scratch
    private let binaries: Binaries

    init() throws {
        self.scratch = try Scratch()
        self.binaries = try Binaries()
    }

    private func start(_ way: Way) throws -> Child {
        try self.scratch.startLocationd(
            ["--gpsd", "127.0.0.1:9", "--in-use-grace", "0.2", "--background-runtime", "0.5"],
            cgroup: way.rawValue
        )
    }

    /// Runs locationctl to its end.
    private func locationctl(_ arguments: String...) throws -> Child.Ended {
        try Child(
            "locationctl",
            self.binaries.path("locationctl"),
            arguments,
            environment: ["LOCATIOND_RUNTIME": self.scratch.path + "/run"],
            log: self.scratch.path + "/commands.log"
        ).waitForEnd(within: 60)
    }

    private struct Status: Decodable {
        struct App: Decodable {
            var process: String
            /// No value: the process does not run.
            var pid: Int32?
            /// Absent: none.
            var sessions: [String]?
            var authorization: String?
        }
        var apps: [App]
    }

    private func status() throws -> Status.App {
        let shown = try self.locationctl("status", "--json")
        return try #require(try JSONDecoder().decode(Status.self, from: Data(shown.output.utf8)).apps.first)
    }

    private func waitFor(_ process: String) throws -> Bool {
        try Waiting.until(within: 30) { try self.status().process == process }
    }

    /// The state letter of proc(5): T for a process stopped by signals; a frozen cgroup shows in its events file.
    private func isStopped(_ pid: Int32) throws -> Bool {
        let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        if stat.contains(") T ") { return true }
        let cgroups = try String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8)
        guard let path = cgroups.split(separator: "\n").first(where: { $0.hasPrefix("0::") })?.dropFirst(3) else {
            return false
        }
        return ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].contains { mount in
            (try? String(contentsOfFile: "\(mount)\(path)/cgroup.events", encoding: .utf8))?.contains("frozen 1")
                ?? false
        }
    }

    private func installFindFriends() throws {
        let example = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/FindFriends").path(percentEncoded: false)
        let made = try self.locationctl(
            "bundle",
            "--app",
            "\(example)/FindFriends",
            "--extension",
            "\(example)/FindFriendsLocationPush",
            "--products",
            self.binaries.directory,
            "--output",
            self.scratch.path
        )
        #expect(made.status == 0)
        let app = self.scratch.path + "/FindFriends.app"
        #expect(try self.locationctl("install", app, "--approve-entitlements").status == 0)
    }

    @Test(arguments: Self.ways) func anAppLivesThroughItAll(_ way: Way) throws {
        var locationd = try self.start(way)
        defer { locationd.kill() }
        try self.installFindFriends()

        // An app that ends at once (an argument is missing) is not reported as running.
        #expect(try self.locationctl("run", Self.bundle).status == 1)
        #expect(try self.locationctl("phase", Self.bundle, "background").status == 1)
        #expect(try self.locationctl("run", Self.bundle, "--", "--server", "https://localhost:1").status == 0)
        #expect(try self.waitFor("foreground"))
        #expect(try self.locationctl("settings", Self.bundle, "location", "while-using").status == 0)
        let pid = try #require(self.status().pid)
        #expect(try !self.isStopped(pid))

        // The app is invisible and has nothing to do, so it is suspended.
        #expect(try self.locationctl("phase", Self.bundle, "background").status == 0)
        #expect(try self.waitFor("suspended"))
        #expect(try Waiting.until(within: 20) { try self.isStopped(pid) })

        // locationd is killed. The next one finds the app and resumes it, and the app connects by itself.
        locationd.kill()
        locationd = try self.start(way)
        #expect(try Waiting.until(within: 20) { try !self.isStopped(pid) })
        #expect(try Waiting.until(within: 30) { try self.status().sessions == ["always"] })
        #expect(try self.status().pid == pid)
        #expect(try self.waitFor("suspended"))

        // The app runs, so arguments would not reach it, and the reply says so.
        #expect(try self.locationctl("run", Self.bundle, "--", "--server", "https://localhost:2").status == 1)
        #expect(try self.status().process == "suspended")

        // The app becomes visible again, and is resumed.
        #expect(try self.locationctl("run", Self.bundle).status == 0)
        #expect(try self.waitFor("foreground"))
        #expect(try Waiting.until(within: 20) { try !self.isStopped(pid) })

        // A suspended app can be closed, and its claims are remembered.
        #expect(try self.locationctl("phase", Self.bundle, "background").status == 0)
        #expect(try self.waitFor("suspended"))
        #expect(try self.locationctl("terminate", Self.bundle).status == 0)
        #expect(ProcessIdentity(pid: pid) == nil)
        let after = try self.status()
        #expect(after.process == "not running" && after.pid == nil && after.sessions == ["always"])
        locationd.terminate()
    }

    @Test func anAgentThatNobodyAnswersDoesNotStart() throws {
        let ended = try self.locationctl("agent", "--json")
        #expect(ended.status == 1)
        let said = try String(contentsOfFile: self.scratch.path + "/commands.log", encoding: .utf8)
        #expect(said.contains("is locationd running?"))
    }

    /// Runs `locationctl agent --json` between two pipes, as a script does.
    @Test func aScriptAnswersThroughTheAgent() throws {
        var locationd = try self.start(.none)
        defer { locationd.kill() }
        try self.installFindFriends()
        let input = self.scratch.path + "/answers"
        #expect(unsafe mkfifo(input, 0o600) == 0)
        let agent = try Child(
            "agent",
            "/bin/sh",
            ["-c", "exec \(self.binaries.path("locationctl")) agent --json --language de <'\(input)'"],
            environment: ["LOCATIOND_RUNTIME": self.scratch.path + "/run"],
            log: self.scratch.path + "/agent.log"
        )
        let answers = try FileHandle(forWritingTo: URL(fileURLWithPath: input))
        _ = try agent.waitForLine(within: 20) { $0.hasPrefix(#"{"apps":{"apps":[{"bundle":"com.example"#) }
        #expect(try self.locationctl("run", Self.bundle, "--", "--server", "https://localhost:1").status == 0)
        let prompt = try agent.waitForLine(within: 20) { $0.hasPrefix(#"{"prompt":"#) }
        #expect(prompt.contains(#""choices":["ALLOW_ONCE","ALLOW_WHILE_USING","DONT_ALLOW"]"#))
        try answers.write(contentsOf: Data(#"{"answer":{"prompt":"1","choice":"DONT_ALLOW"}}\#n"#.utf8))
        _ = try agent.waitForLine(within: 20) { $0 == #"{"withdrawal":{"prompt":"1"}}"# }
        #expect(try self.status().authorization == "DENIED")
        // An invalid line is reported, and does not end the agent.
        try answers.write(contentsOf: Data("nonsense\n".utf8))
        let refusal = try agent.waitForLine(within: 20) { $0.hasPrefix(#"{"refusal":"#) }
        #expect(refusal.contains("'nonsense' is not a request of the agent protocol"))
        // An empty line is refused, too: sent as a packet, it would end the connection.
        try answers.write(contentsOf: Data("{}\n".utf8))
        let empty = try agent.waitForLine(within: 20) { $0.hasPrefix(#"{"refusal":"#) }
        #expect(empty.contains("'{}' is not a request of the agent protocol"), "\(empty)")
        #expect(empty.contains("it is empty; give one of answer, setPhase"), "\(empty)")
        // While locationd is unreachable, no prompt can be answered. After its return, all prompts are sent again.
        locationd.terminate()
        _ = try agent.waitForLine(within: 20) { $0 == #"{"event":"disconnected"}"# }
        try answers.write(contentsOf: Data(#"{"answer":{"prompt":"1","choice":"DONT_ALLOW"}}\#n"#.utf8))
        _ = try agent.waitForLine(within: 20) { $0.contains("locationd is not running") }
        locationd = try self.start(.none)
        _ = try agent.waitForLine(within: 20) { $0 == #"{"event":"connected"}"# }
        _ = try agent.waitForLine(within: 20) { $0.hasPrefix(#"{"apps":{"apps":[{"bundle":"com.example"#) }
        // The agent ends when its input ends.
        try answers.close()
        #expect(try agent.waitForEnd(within: 20).status == 0)
        locationd.terminate()
    }

    @Test func theAppOfAnOlderVersionIsEnded() throws {
        var locationd = try self.start(.none)
        defer { locationd.kill() }
        let path = try self.scratch.makeBundle()
        try FileManager.default.removeItem(atPath: path + "/Test")
        try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: path + "/Test")
        #expect(try self.locationctl("install", path, "--approve-entitlements").status == 0)
        #expect(try self.locationctl("run", "com.example.Test", "--background", "--", "600").status == 0)
        let pid = try #require(self.status().pid)
        defer { kill(pid, SIGKILL) }
        #expect(try self.waitFor("suspended"))
        #expect(try self.isStopped(pid))
        // The app's files are replaced while no locationd runs, so the process no longer belongs to an installed app.
        locationd.kill()
        let place = self.scratch.path + "/state/apps/com.example.Test/Test.app/Test"
        try FileManager.default.removeItem(atPath: place)
        try FileManager.default.copyItem(atPath: "/bin/cat", toPath: place)
        locationd = try self.start(.none)
        #expect(Waiting.until(within: 20) { ProcessIdentity(pid: pid) == nil })
        #expect(try self.status().pid == nil)
        let refused = try self.locationctl("run", "com.example.Test")
        #expect(refused.status == 1)
        locationd.terminate()
    }
}
