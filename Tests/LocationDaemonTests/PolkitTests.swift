internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

private let python = "/usr/bin/python3"
private let pkcheck = "/usr/bin/pkcheck"

/// Tests for polkit, which can authorize owners in addition to the group.
@Suite(
    .offPool,
    .timeLimit(.minutes(2)),
    .enabled(if: geteuid() == 0, "skipped: only root can start apps as other users"),
    .enabled(
        if: SystemBus.isThere && FileManager.default.isExecutableFile(atPath: pkcheck),
        "skipped: dbus, python3-dbus, python3-gi or polkitd is not installed"
    )
)
struct PolkitTests {
    /// The user whom polkit allows, like the person at the seat.
    private static let seat = 60_011
    private let bus: SystemBus
    private var runtime: String { self.bus.scratch.path + "/run" }
    private var program: String { self.bus.scratch.path + "/locationctl" }

    init() throws {
        self.bus = try SystemBus()
        // Other users may be unable to enter root's folders.
        try FileManager.default.copyItem(atPath: Binaries().path("locationctl"), toPath: self.program)
    }

    private func locationd(_ more: String...) throws -> Child {
        let child = try self.bus.program(
            Binaries().path("locationd"),
            [
                "--state", self.bus.scratch.path + "/state", "--runtime", self.runtime, "--gpsd", "127.0.0.1:9",
                "--cgroup", "none", "--app-users", "74000-74127", "--owners", "nogroup",
            ] + more
        )
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        return child
    }

    private func polkit(allowing action: String = "org.whereabouts.location1.manage") throws -> Child {
        let polkit = try self.bus.script("fake_polkit.py", action, "\(Self.seat)")
        _ = try polkit.waitForLine(within: 30) { $0 == "ready" }
        return polkit
    }

    /// Starts locationctl as a user who is in one group.
    private func locationctl(
        user: Int,
        group: Int = 60_011,
        input: String = "/dev/null",
        _ arguments: String...
    ) throws -> Child {
        try self.locationctl(user: user, group: group, input: input, arguments)
    }

    private func locationctl(user: Int, group: Int = 60_011, input: String, _ arguments: [String]) throws -> Child {
        try Child(
            "locationctl",
            python,
            [
                "-c",
                "import os, sys; os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[2])); "
                    + "os.dup2(os.open(sys.argv[3], os.O_RDWR), 0); os.execv(sys.argv[4], sys.argv[4:])",
                "\(group)", "\(user)", input, self.program,
            ] + arguments + ["--runtime", self.runtime],
            log: self.bus.scratch.path + "/locationctl.log"
        )
    }

    private func mayOrder(user: Int, group: Int = 60_011) throws -> Bool {
        try self.locationctl(user: user, group: group, "status").waitForEnd(within: 20).status == 0
    }

    /// The next process, other than locationd's own, that polkit is asked about.
    private func asked(_ polkit: Child) throws -> String {
        try polkit.waitForLine(within: 20) { $0.hasPrefix("asked ") && $0 != "asked 0 truly" }
    }

    private var status: WireDeviceStatus {
        get throws { try ControlCall.reply(to: .with { $0.status = .init() }, in: self.runtime).status }
    }

    private var complaints: String {
        (try? String(contentsOfFile: self.bus.scratch.path + "/locationctl.log", encoding: .utf8)) ?? ""
    }

    /// Goal: polkit is asked only about the connecting process, and only if the kernel's credentials do not decide.
    @Test func whomPolkitAllowsGivesOrders() throws {
        let polkit = try self.polkit()
        let locationd = try self.locationd("--polkit")
        #expect(try self.mayOrder(user: Self.seat))
        #expect(try self.asked(polkit) == "asked \(Self.seat) truly")
        #expect(try !self.mayOrder(user: 60_012))
        #expect(self.complaints.contains("polkit did not allow org.whereabouts.location1.manage"))
        #expect(try self.asked(polkit) == "asked 60012 truly")
        // Members of the group need no polkit, and polkit is never asked about an app's user.
        #expect(try self.mayOrder(user: 60_013, group: 65_534))
        #expect(try !self.mayOrder(user: 74_005, group: 65_534))
        #expect(try !self.mayOrder(user: 74_005))
        #expect(try self.mayOrder(user: Self.seat))
        #expect(try self.asked(polkit) == "asked \(Self.seat) truly")
        self.bus.terminate(locationd, polkit)
    }

    /// Goal: if polkit does not answer, only the group may give orders, and the doctor says why.
    @Test func withoutPolkitTheGroupAloneGivesOrders() throws {
        let locationd = try self.locationd("--polkit")
        #expect(try !self.mayOrder(user: Self.seat))
        #expect(self.complaints.contains("polkit was not asked: pkcheck failed"))
        #expect(try self.mayOrder(user: 60_013, group: 65_534))
        let doctor = try self.locationctl(user: 0, group: 0, "doctor").waitForEnd(within: 20).output
        #expect(doctor.contains("trouble  owners") && doctor.contains(": pkcheck failed: Error "), "\(doctor)")
        let trouble = try self.status.polkit
        #expect(!trouble.answers && trouble.cause.contains("org.freedesktop.PolicyKit1") && !trouble.remedy.isEmpty)
        #expect(trouble.refused == 1 && trouble.since > 0)
        // Once polkit runs, it is asked.
        let polkit = try self.polkit()
        #expect(try self.mayOrder(user: Self.seat))
        #expect(try self.status.polkit == .with { $0.answers = true })
        self.bus.terminate(locationd, polkit)
    }

    /// Goal: a refused agent ends at once, with the reason and the remedy: it would be refused again and again.
    @Test(arguments: [["agent"], ["agent", "--json"]]) func aRefusedAgentEnds(_ arguments: [String]) throws {
        let polkit = try self.polkit()
        let locationd = try self.locationd("--polkit")
        let input = self.bus.scratch.path + "/input"
        try #require(unsafe mkfifo(input, 0o666) == 0 && chmod(input, 0o666) == 0)
        let stranger = try self.locationctl(user: 60_012, input: input, arguments)
        #expect(try stranger.waitForEnd(within: 20).status == 1)
        #expect(self.complaints.contains("does not serve this agent: this user may not control locationd"))
        #expect(self.complaints.contains("pkaction -v -a org.whereabouts.location1.manage"))
        self.bus.terminate(locationd, polkit)
    }

    /// Goal: the same if only the group decides, and the socket's mode lets other users connect.
    @Test func anAgentThatIsInNoGroupEnds() throws {
        let locationd = try self.locationd()
        let agent = try self.locationctl(user: 60_012, input: "/dev/zero", "agent")
        #expect(try agent.waitForEnd(within: 20).status == 1)
        #expect(self.complaints.contains("adduser USER GROUP"))
        try #require(unsafe chmod(self.runtime + "/agent.socket", 0o666) == 0)
        let other = try self.locationctl(user: 60_012, input: "/dev/zero", "agent")
        #expect(try other.waitForEnd(within: 20).status == 1)
        #expect(self.complaints.contains("does not serve this agent: this user may not control locationd"))
        self.bus.terminate(locationd)
    }

    @Test func withoutTheOptionPolkitIsNotAsked() throws {
        let polkit = try self.polkit()
        let locationd = try self.locationd()
        #expect(try !self.mayOrder(user: Self.seat))
        #expect(try self.mayOrder(user: 60_013, group: 65_534))
        let doctor = try self.locationctl(user: 0, group: 0, "doctor").waitForEnd(within: 20).output
        #expect(!doctor.contains("polkit"))
        self.bus.terminate(locationd, polkit)
    }

    /// Goal: a process that asks repeatedly does not block others.
    @Test func manyWhoAreNotAllowedHoldUpNobody() throws {
        let polkit = try self.polkit()
        let locationd = try self.locationd("--polkit")
        let strangers = try (0..<24).map { _ in try self.locationctl(user: 60_012, "status") }
        #expect(try self.mayOrder(user: Self.seat))
        for stranger in strangers { #expect(try stranger.waitForEnd(within: 30).status != 0) }
        #expect(try self.mayOrder(user: Self.seat))
        self.bus.terminate(locationd, polkit)
    }

    /// Goal: the agent of a person who left the seat can no longer answer, although it stays connected.
    @Test func whoLeftTheSeatAnswersNoMore() throws {
        let polkit = try self.polkit()
        let locationd = try self.locationd("--polkit")
        let input = self.bus.scratch.path + "/input"
        try #require(unsafe mkfifo(input, 0o666) == 0 && chmod(input, 0o666) == 0)
        let agent = try self.locationctl(user: Self.seat, input: input, "agent", "--json")
        let writing = try #require(FileHandle(forUpdatingAtPath: input))
        // The order names a missing app; an authorized sender is told so.
        let order = Data(#"{"setPhase":{"bundle":"com.example.None","phase":"FOREGROUND"}}"#.utf8) + Data("\n".utf8)
        try writing.write(contentsOf: order)
        _ = try agent.waitForLine(within: 20) { $0.contains("refusal") && $0.contains("com.example.None") }
        kill(polkit.pid, SIGUSR1)
        #expect(try Waiting.until(within: 20) { try !self.mayOrder(user: Self.seat) })
        try writing.write(contentsOf: order)
        _ = try agent.waitForLine(within: 20) { $0.contains("polkit does not allow") }
        // The agent is refused when it reconnects.
        #expect(try agent.waitForEnd(within: 20).status == 1)
        self.bus.terminate(locationd, polkit)
    }
}
