internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Tests for processes that leave their app's group and session, where no cgroup holds them.
///
/// They still belong to the app after locationd was killed.
@Suite(
    .offPool,
    .timeLimit(.minutes(2)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash"), "skipped: bash is not installed")
)
struct LeftBehindTests {
    private let scratch: Scratch
    private let binaries: Binaries
    private var runtime: String { self.scratch.path + "/run" }

    init() throws {
        self.scratch = try Scratch()
        self.binaries = try Binaries()
    }

    /// Installs and runs an app that leaves a process behind, which first runs some bash code; returns the numbers of
    /// both.
    private func runApp(first: String = "") throws -> (app: Int32, left: Int32) {
        let path = try self.scratch.makeBundle()
        let left = "#!/bin/bash\n\(first)\necho $$ >'\(self.scratch.path)/left.new'\n"
        // The process waits for commands at a pipe, and uses them to try to act as the device's owner.
        let orders =
            "read order <'\(self.scratch.path)/orders'\n"
            + "'\(self.binaries.path("locationctl"))' status --runtime '\(self.runtime)' >'\(self.scratch.path)/said' 2>&1\n"
            + "mv '\(self.scratch.path)/said' '\(self.scratch.path)/said.whole'\nread order <'\(self.scratch.path)/orders'\n"
        let move = "mv '\(self.scratch.path)/left.new' '\(self.scratch.path)/left'\n"
        try Data((left + move + orders).utf8).write(to: URL(fileURLWithPath: self.scratch.path + "/left.sh"))
        try #require(unsafe mkfifo(self.scratch.path + "/orders", 0o600) == 0)
        // Its parent ends at once, so it has lost its session, group and parent.
        let app =
            "#!/bin/bash\n(setsid bash '\(self.scratch.path)/left.sh' </dev/null &)\necho $$ >'\(self.scratch.path)/app'\n"
            + "read order <'\(self.scratch.path)/never'\n"
        try #require(unsafe mkfifo(self.scratch.path + "/never", 0o600) == 0)
        try Data(app.utf8).write(to: URL(fileURLWithPath: path + "/Test"))
        _ = try ControlCall.reply(to: .with { $0.install.path = path }, in: self.runtime)
        let run = WireControlRequest.with { $0.run.bundle = DaemonRig.bundle.rawValue }
        #expect(try ControlCall.reply(to: run, in: self.runtime).failure.message == "")
        return (try self.number(in: "app"), try self.number(in: "left"))
    }

    private func number(in name: String) throws -> Int32 {
        var number: Int32?
        _ = Waiting.until(within: 30) {
            let text = try? String(contentsOfFile: self.scratch.path + "/" + name, encoding: .utf8)
            number = text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
            return number != nil
        }
        return try #require(number, "no process said its number in \(name)")
    }

    private func isGone(_ pid: Int32) -> Bool { Waiting.until(within: 20) { ProcessIdentity(pid: pid) == nil } }

    /// Goal: if an app ends while no locationd runs, the next locationd ends the processes that the app left.
    @Test func theNextLocationdEndsWhatIsLeftOfAnAppThatEnded() throws {
        let first = try self.scratch.startLocationd()
        let (app, left) = try self.runApp()
        defer { kill(left, SIGKILL) }
        first.kill()
        kill(app, SIGKILL)
        #expect(self.isGone(app) && ProcessIdentity(pid: left) != nil)
        let second = try self.scratch.startLocationd()
        defer { second.terminate() }
        #expect(self.isGone(left))
        let log = try String(contentsOfFile: self.scratch.path + "/locationd.log", encoding: .utf8)
        #expect(log.contains("processes that apps left behind are ended"))
    }

    /// Goal: processes that an app left cannot give orders to the next locationd.
    ///
    /// They continue while the app runs, and end with it.
    @Test func whatATakenOverAppLeftBehindIsStillItsOwn() throws {
        let first = try self.scratch.startLocationd()
        let (app, left) = try self.runApp()
        defer { for pid in [app, left] { kill(pid, SIGKILL) } }
        first.kill()
        let second = try self.scratch.startLocationd()
        defer { second.terminate() }
        #expect(ProcessIdentity(pid: app) != nil && ProcessIdentity(pid: left) != nil)
        #expect(try self.answerToOrder().contains("programs that they start may not control locationd"))
        _ = try ControlCall.reply(to: .with { $0.terminate.bundle = DaemonRig.bundle.rawValue }, in: self.runtime)
        #expect(self.isGone(app) && self.isGone(left))
    }

    /// Goal: a process that lowers its mark is still recognised: it ends with its app, and gains nothing.
    @Test func whoLowersItsMarkGivesNoOrders() throws {
        let first = try self.scratch.startLocationd()
        let (app, left) = try self.runApp(first: "ulimit -SHx 7")
        defer { for pid in [app, left] { kill(pid, SIGKILL) } }
        first.kill()
        let second = try self.scratch.startLocationd()
        defer { second.terminate() }
        #expect(try self.answerToOrder().contains("programs that they start may not control locationd"))
    }

    private func answerToOrder() throws -> String {
        let orders = try FileHandle(forWritingTo: URL(fileURLWithPath: self.scratch.path + "/orders"))
        try orders.write(contentsOf: Data("go\n".utf8))
        let said = self.scratch.path + "/said.whole"
        #expect(Waiting.until(within: 30) { FileManager.default.fileExists(atPath: said) })
        return try String(contentsOfFile: said, encoding: .utf8)
    }

    // MARK: The mark

    @Test func marksAreOfOneStateAndOneApp() throws {
        let one = try #require(ProcessMarks(state: "/one", users: 0...0))
        let other = try #require(ProcessMarks(state: "/other", users: 0...0))
        let (a, b) = (BundleID("com.example.A"), BundleID("com.example.B"))
        let each = [one.mark(of: a), one.mark(of: b), one.mark(of: a, isExtension: true), other.mark(of: a)]
        let marks = each.map(\.value)
        #expect(Set(marks).count == 4 && one.mark(of: a).value == marks[0])
        // A resource limit of the kernel; all bits set mean "unlimited".
        #expect(marks.allSatisfy { $0 > 0 && $0 < 1 << 62 })
        #expect(marks[0] >> 31 == marks[1] >> 31 && marks[0] >> 31 != marks[3] >> 31)
    }

    @Test func nobodyWithoutAMarkIsAnApps() {
        #expect(!ProcessMarks.isMarked(getpid()))
        // The process is gone, and must not be examined any more.
        #expect(ProcessMarks.isMarked(0))
    }
}
