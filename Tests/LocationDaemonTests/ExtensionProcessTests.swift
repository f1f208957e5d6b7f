internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Tests with real extension processes, correct and faulty ones.
@Suite(.offPool, .serialized, .timeLimit(.minutes(3))) struct ExtensionProcessTests {
    /// Short enough for a test to see the end of a hanging extension.
    private static var hasty: Policy {
        var policy = Policy()
        policy.extensionAllowance = .seconds(4)
        policy.extensionWarning = .seconds(1)
        return policy
    }

    private func with(
        policy: Policy = Policy(),
        replaying track: String? = nil,
        script: String = "",
        _ body: @Sendable (ProbeDevice) throws -> Void
    ) async throws {
        let device = try await ProbeDevice(policy: policy, replaying: track, script: script)
        try await OffPool.run {
            try body(device)
        } finally: {
            await device.daemon.stop()
        }
    }

    @Test func pushesAreAnsweredThoughTheAppNeverRan() async throws {
        try await self.with { device in
            for number in 1...3 {
                try device.push(#"{"number": \#(number)}"#)
                try device.events.wait(for: "push-completed")
            }
            let lines = device.probeLog
            #expect(lines.map { $0.prefix(2).joined(separator: " ") } == ["received 1", "received 2", "received 3"])
            #expect(Set(lines.map { $0[2] }).count == 3)
            let total = try device.accounts.total
            #expect(total.received == 3 && total.handed == 3 && total.completed == 3 && total.abandoned == 0)
        }
    }

    /// If both have one user, an extension can stop or kill its supervisor.
    ///
    /// It still ends when its time is over.
    @Test(arguments: ["stop", "orphan"]) func anExtensionThatEndsItsSupervisorIsEnded(_ deed: String) async throws {
        try await self.with(policy: Self.hasty) { device in
            try device.push(#"{"do": "\#(deed)"}"#)
            try device.events.wait(for: deed == "stop" ? "extension-killed" : "extension-failed")
            #expect(Waiting.until(within: 20) { device.processes.isEmpty })
        }
    }

    @Test func liveUpdatesWorkInsideWithTheAppsAuthorization() async throws {
        let track = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/Tracks/harbour-walk.nmea").path
        try await self.with(replaying: track) { device in
            try device.push(#"{"do": "fix"}"#)
            try device.events.wait(for: "location-served")
            try device.events.wait(for: "push-completed")
        }
    }

    /// A fault of an extension, and the reason that is reported for its end.
    struct Misbehaviour: Sendable, CustomTestStringConvertible {
        let name: String
        let reason: String

        var testDescription: String { self.name }
    }

    static let misbehaviours = [
        Misbehaviour(name: "crash", reason: "signal-6"),
        Misbehaviour(name: "exit", reason: "exit-3"),
        Misbehaviour(name: "hang", reason: "signal-9"),
        Misbehaviour(name: "ignore", reason: "signal-9"),
        Misbehaviour(name: "spin", reason: "signal-9"),
        Misbehaviour(name: "leak", reason: "signal-6"),
        Misbehaviour(name: "spawn", reason: "signal-9"),
        Misbehaviour(name: "bomb", reason: "exit-125"),
        Misbehaviour(name: "fill", reason: "signal-\(SIGXFSZ)"),
        Misbehaviour(name: "scatter", reason: "signal-\(SIGXFSZ)"),
    ]

    @Test(arguments: Self.misbehaviours)
    func anExtensionThatMisbehavesIsContainedAndAccountedFor(_ misbehaviour: Misbehaviour) async throws {
        // An extension that should end by itself, or by another limit, gets enough time.
        let isEndedByTime = misbehaviour.reason == "signal-9"
        try await self.with(policy: isEndedByTime ? Self.hasty : Policy()) { device in
            try device.push(#"{"do": "\#(misbehaviour.name)"}"#)
            if isEndedByTime { try device.events.wait(for: "extension-warned") }
            try device.events.wait(for: "extension-failed")
            let accounts = try device.accounts
            #expect(accounts.recent.map(\.outcome) == ["abandoned"])
            #expect(accounts.recent.map(\.reason) == [misbehaviour.reason])
            #expect(device.processes.isEmpty, "something outlived it")
            var written = 0
            for case let name as String in FileManager.default.enumerator(atPath: device.container) ?? .init() {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(device.container)/\(name)")
                written += attributes[.size] as? Int ?? 0
            }
            #expect(written < 1 << 30)
            // locationd continues as before.
            try device.push("{}")
            try device.events.wait(for: "push-completed")
        }
    }

    @Test func whatAGoodExtensionLeavesBehindIsEndedToo() async throws {
        try await self.with(policy: Self.hasty) { device in
            try device.push(#"{"do": "spawn"}"#)
            try device.push("{}")
            try device.events.wait(for: "push-completed")
            try device.events.wait(for: "extension-failed")
            #expect(device.processes.isEmpty)
        }
    }

    /// Goal: while a process started by an extension still runs, no report says that the app has ended.
    @Test(.enabled(if: Freezer.isAvailable, "skipped: needs a freezer (cgroup v1)"))
    func anEndThatWasNotSeenIsNotReported() async throws {
        try await self.with(policy: Self.hasty, script: "exec sleep 600") { device in
            var freezer: Freezer? = try Freezer()
            try device.push(#"{"do": "spawn"}"#)
            func sleeper() -> Int32? {
                device.processes.first {
                    (try? String(contentsOfFile: "/proc/\($0)/comm", encoding: .utf8)) == "sleep\n"
                }
            }
            #expect(Waiting.until(within: 20) { sleeper() != nil })
            let left = try #require(sleeper())
            try freezer?.freeze(left)
            try device.events.wait(for: "extension-failed")
            #expect(ProcessIdentity(pid: left) != nil)
            func runAndEnd() throws -> ProbeDevice.Reply {
                let ran = try device.ask(.with { $0.run.bundle = ProbeDevice.app.rawValue })
                #expect(ran.failure.message == "")
                return try device.ask(.with { $0.terminate.bundle = ProbeDevice.app.rawValue })
            }
            #expect(try runAndEnd().failure.message.contains("do not end"))
            freezer = nil
            #expect(Waiting.until(within: 20) { ProcessIdentity(pid: left) == nil })
            #expect(try runAndEnd().done.message == "\(ProbeDevice.app) has ended")
        }
    }

    /// Goal: a supervisor that cannot end the extension's processes does not report success.
    @Test(.enabled(if: Freezer.isAvailable, "skipped: needs a freezer (cgroup v1)"))
    func aSupervisorSaysThatSomethingIsLeft() throws {
        let scratch = try Scratch()
        let script =
            "setsid sleep 600 >/dev/null 2>&1 & echo $! >left.new; mv left.new left; until [ -e go ]; do sleep 0.05; done"
        let launcher = try self.supervisor(of: script, ["-d", scratch.path], log: scratch.path + "/log")
        let left = scratch.path + "/left"
        #expect(Waiting.until(within: 20) { FileManager.default.fileExists(atPath: left) })
        let text = try String(contentsOfFile: left, encoding: .utf8)
        let pid = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let freezer = try Freezer()
        try freezer.freeze(pid)
        try Data().write(to: URL(filePath: scratch.path + "/go"))
        #expect(try launcher.waitForEnd(within: 20).status == 124)
        withExtendedLifetime(freezer) { #expect(ProcessIdentity(pid: pid) != nil) }
    }

    /// Starts a shell script as an extension, with more options of `location-launch`.
    private func supervisor(of script: String, _ options: [String], log: String) throws -> Child {
        let launch = try Binaries().path("location-launch")
        // Descriptor 3 is open, as locationd opens it.
        let opening = ["-c", #"exec 3</dev/null; exec "$@""#, launch, launch, "-s"]
        return try Child("location-launch", "/bin/sh", opening + options + ["--", "/bin/sh", "-c", script], log: log)
    }

    /// Goal: an extension with its own user does not outlive its supervisor, even if nothing else watches it.
    ///
    /// Method: no locationd runs. The kernel drops the parent-death signal when a process changes its user.
    @Test(.enabled(if: geteuid() == 0, "skipped: only root starts processes of other users"))
    func anExtensionFollowsItsKilledSupervisor() throws {
        let scratch = try Scratch()
        let script = "echo $$ $(id -u); exec sleep 600"
        let supervisor = try self.supervisor(of: script, ["-u", "70127", "-d", "/"], log: scratch.path + "/log")
        let line = try supervisor.waitForLine(within: 20) { !$0.isEmpty }.split(separator: " ")
        #expect(line.last == "70127")
        let pid = try #require(line.first.flatMap { Int32($0) })
        let process = try #require(ProcessIdentity(pid: pid))
        defer { process.signal(SIGKILL) }
        #expect(pid != supervisor.pid)
        supervisor.kill()
        #expect(Waiting.until(within: 20) { ProcessIdentity(pid: pid) == nil })
    }

    @Test func threeFailuresInARowHoldItBack() async throws {
        try await self.with { device in
            for _ in 1...3 {
                try device.push(#"{"do": "exit"}"#)
                try device.events.wait(for: "extension-failed")
            }
            try device.events.wait(for: "extension-held-back")
            let refused = try device.push("{}")
            #expect(refused.failure.message.contains("held back"))
            let checks = try device.push("{}", dryRun: true).pushChecks.checks
            #expect(checks.filter { !$0.isMet }.map(\.name) == ["steady"])
            #expect(checks.allSatisfy { $0.isMet == $0.remedy.isEmpty })
            #expect(try device.accounts.total.received == 4)
        }
    }

    @Test func itHasNoNewPrivilegesAndNarrowLimits() async throws {
        try await self.with(policy: Self.hasty) { device in
            try device.push(#"{"do": "hang"}"#)
            try device.events.wait(for: "extension-warned")
            let pid = try #require(device.probeLog.first?.last)
            let status = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
            #expect(status.contains("NoNewPrivs:\t1"))
            let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
                .split(separator: "\n").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
            func soft(_ words: String) -> Substring? {
                let name = words.split(separator: " ")
                return limits.first { $0.starts(with: name) }?[name.count]
            }
            #expect(soft("Max data size") == "\(256 << 20)")
            #expect(soft("Max file size") == "\(64 << 20)")
            #expect(soft("Max cpu time") == "20")
            #expect(soft("Max open files") == "256")
            #expect(soft("Max core file size") == "0")
            let directory = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd")
            #expect(directory == device.container)
        }
    }

    @Test func testPushesThatMakeNoSenseAreRefusedWithTheReason() async throws {
        try await self.with { device in
            #expect(try device.push("[]").failure.message.contains("JSON object"))
            #expect(try device.push("{}", priority: 7).failure.message.contains("10, 5 or 1"))
            let long = #"{"x": ""# + String(repeating: "x", count: 6000) + #""}"#
            #expect(try device.push(long).failure.message.contains("too long"))
            let unknown = try device.ask(
                .with {
                    $0.push.bundle = "com.example.Absent"
                    $0.push.payload = Data("{}".utf8)
                    $0.push.priority = 10
                }
            )
            #expect(unknown.failure.message.contains("com.example.Absent"))
            #expect(try device.accounts.total.received == 1)
        }
    }

    @Test func aDryRunLooksAtThePayloadToo() async throws {
        try await self.with { device in
            let long = #"["\#(String(repeating: "x", count: 6000))"]"#
            let unmet = try device.push(long, dryRun: true).pushChecks.checks.filter { !$0.isMet }
            #expect(unmet.map(\.name) == ["object", "size"])
            #expect(unmet.last?.text.contains("5120") == true && unmet.last?.remedy.contains("6004") == true)
            #expect(try device.accounts.total.received == 0)
        }
    }

    /// The remedy depends on the one that turned services off: the person or the owner.
    @Test func theRemedyForServicesIsThePersonsOrTheOwners() async throws {
        func remedies(_ rig: DaemonRig) throws -> [String: String] {
            let reply = try rig.ask(
                .with {
                    $0.push.bundle = DaemonRig.bundle.rawValue
                    $0.push.payload = Data("{}".utf8)
                    $0.push.priority = 10
                    $0.push.dryRun = true
                }
            )
            return Dictionary(uniqueKeysWithValues: reply.pushChecks.checks.map { ($0.name, $0.remedy) })
        }
        var rig = try await DaemonRig()
        try rig.install()
        _ = try rig.ask(.with { $0.settings.locationServices = false })
        #expect(try remedies(rig)["services"]?.contains("locationctl settings location-services on") == true)
        #expect(try remedies(rig)["permitted"] == "")
        #expect(try remedies(rig)["authorized"]?.contains("locationctl authorize") == true)
        await rig.daemon.stop()
        rig = try await DaemonRig(
            management: #"{"locationServices": false, "everyApp": {"restriction": "forbidden"}}"#
        )
        try rig.install()
        for check in ["services", "permitted", "authorized"] {
            #expect(try remedies(rig)[check]?.contains("rules.json") == true)
        }
        await rig.daemon.stop()
    }

    @Test func theAccountsSurviveARestart() async throws {
        try await self.with { device in
            try device.push("{}")
            try device.events.wait(for: "push-completed")
            let before = try device.accounts
            let file = PushAccountsFile(path: device.scratch.path + "/state/pushes.json", logger: device.events.logger)
            #expect(file.accounts.total.completed == 1)
            #expect(file.accounts.recent.count == before.recent.count)
        }
    }
}
