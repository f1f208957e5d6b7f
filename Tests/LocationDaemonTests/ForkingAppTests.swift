internal import Foundation
internal import Glibc
internal import Rig
internal import Testing
internal import WhereaboutsCLinux
internal import WhereaboutsLocationWire

@testable internal import WhereaboutsLocationDaemon

private let python = "/usr/bin/python3"

/// Whether this machine lets the tests create PID namespaces.
private let canRun: Bool = {
    guard geteuid() == 0, FileManager.default.isExecutableFile(atPath: python), let scratch = try? Scratch(),
        let trial = try? Child("unshare", "/usr/bin/unshare", ["-pf", "true"], log: scratch.path + "/log")
    else { return false }
    return (try? trial.waitForEnd(within: 20).status) == 0
}()

/// Tests an app with its own user that forks without limit.
///
/// The app stays within its limit, locationd continues, and the end of the app ends all that it started. The kernel
/// limits each test: it runs in a PID namespace, with at most 800 processes for each user.
@Suite(
    .offPool,
    .serialized,
    .timeLimit(.minutes(3)),
    .enabled(if: canRun, "skipped: needs root, python3 and unshare(1)")
)
struct ForkingAppTests {
    /// Chains of processes.
    ///
    /// Each link leaves its session, forks its successor and exits, so neither a process group nor a list of processes
    /// holds it for long. All of them end by themselves after half a minute.
    private static let chains = """
        #!\(python)
        import os, select, sys, time
        end = time.monotonic() + 30
        def chain():
            while time.monotonic() < end:
                os.setsid()
                select.select([], [], [], float(sys.argv[2]))
                # A link whose fork fails is the last one of its chain.
                try:
                    if os.fork(): os._exit(0)
                except OSError: break
            os._exit(0)
        for _ in range(int(sys.argv[1])):
            try: child = os.fork()
            except OSError: continue
            if child == 0: chain()
        print("forked", flush=True)
        select.select([], [], [], 30)
        """

    /// Processes left to locationd at once: fewer than an app may leave, but more than it may leave again shortly
    /// afterwards.
    private static let leaver = """
        #!/bin/sh
        for _ in $(seq 60); do (: &); done
        echo left 60
        sleep 30
        """

    /// The maximum number of processes, all of which stay.
    private static let crowd = """
        #!\(python)
        import os, select
        count = 1
        try:
            while True:
                if os.fork() == 0: select.select([], [], [], 30); os._exit(0)
                count += 1
        except OSError: pass
        print("forked", count, flush=True)
        select.select([], [], [], 30)
        """

    private let scratch: Scratch
    private var state: String { self.scratch.path + "/state" }
    private var runtime: String { self.scratch.path + "/run" }

    init() throws {
        self.scratch = try Scratch()
        // Apps must be able to traverse this folder to their files.
        guard unsafe chmod(self.scratch.path, 0o711) == 0 else { throw RigError("the test", "cannot open its folder") }
    }

    /// Starts locationd in a PID namespace, below a shell that outlives it and restarts it if a file `again` exists.
    private func start(users: String) throws -> Child {
        let child = try Child(
            "locationd",
            "/usr/bin/unshare",
            [
                "-pf", "--mount-proc", "--kill-child", "prlimit", "--nproc=800", "sh", "-c",
                "\"$@\"; until [ -e '\(self.scratch.path)/again' ]; do sleep 0.1; done; \"$@\"", "sh",
                Binaries().path("locationd"), "--state", self.state, "--runtime", self.runtime, "--gpsd", "127.0.0.1:9",
                "--cgroup", "none", "--app-users", users,
            ],
            log: self.scratch.path + "/locationd.log"
        )
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        return child
    }

    /// Sends an order from within the namespace, because locationd must be able to examine the sender's process.
    @discardableResult
    private func order(_ verb: String, _ arguments: String...) throws -> String {
        let (ended, log) = try self.carriedOut(verb, arguments)
        if ended.status != 0 { Issue.record("\(verb) \(arguments): \(log)") }
        return ended.output
    }

    private func carriedOut(_ verb: String, _ arguments: [String]) throws -> (Child.Ended, log: String) {
        let pid = try #require(try ControlCall.connect(in: self.runtime).peer?.pid)
        let log = self.scratch.path + "/locationctl.log"
        let ended = try Child(
            "locationctl",
            "/usr/bin/nsenter",
            ["-t", "\(pid)", "-p", "-m", Binaries().path("locationctl"), verb, "--runtime", self.runtime] + arguments,
            log: log
        ).waitForEnd(within: 20)
        return (ended, (try? String(contentsOfFile: log, encoding: .utf8)) ?? "")
    }

    private func install(_ name: String, _ script: String) throws {
        try self.scratch.write(
            [
                "CFBundleIdentifier": "com.example.\(name)", "CFBundleExecutable": name,
                "NSLocationWhenInUseUsageDescription": "why",
            ],
            to: "\(name).app/Info.plist"
        )
        let path = "\(self.scratch.path)/\(name).app"
        _ = FileManager.default.createFile(
            atPath: "\(path)/\(name)",
            contents: Data(script.utf8),
            attributes: [.posixPermissions: 0o755]
        )
        try self.order("install", path)
    }

    /// Runs an app, and waits until it has forked.
    ///
    /// Together, its chains have eight links a second, fewer than it may leave behind.
    private func run(_ name: String, chains: Int = 1) throws {
        try self.order("run", "com.example.\(name)", "--", "\(chains)", "\(Double(chains) / 8)")
        #expect(Waiting.until(within: 20) { self.output(of: name).contains("forked") }, "\(self.output(of: name))")
    }

    private func output(of name: String) -> String {
        (try? String(contentsOfFile: "\(self.state)/output/com.example.\(name).log", encoding: .utf8)) ?? ""
    }

    /// The time that a request takes.
    private func statusTime() throws -> Duration {
        let start = ContinuousClock.now
        try self.order("status")
        return start.duration(to: .now)
    }

    @Test func anAppHasSoManyProcessesAndNoMore() throws {
        let daemon = try self.start(users: "77000-77007")
        defer { daemon.kill() }
        try self.install("Crowd", Self.crowd)
        try self.install("Other", "#!/bin/sh\necho forked; sleep 30\n")
        try self.run("Crowd")
        let count = self.output(of: "Crowd").split(separator: " ").last.flatMap { Int($0.dropLast()) }
        #expect(count == ProcessLauncher.tasksMax)
        try self.run("Other")
        try self.order("terminate", "com.example.Crowd")
        #expect(ProcessMarks.processes(of: 77_000).isEmpty)
    }

    /// Goal: "ended" or "removed" is true when it is reported, and the daemon answers others in the meantime.
    @Test(arguments: [8, 60]) func theEndOfAnAppIsTheEndOfItsChains(_ chains: Int) throws {
        let users = 77_100 + UInt32(chains) * 10
        let daemon = try self.start(users: "\(users)-\(users + 7)")
        defer { daemon.kill() }
        try self.install("Chains", Self.chains)
        try self.install("Other", "#!/bin/sh\necho forked; sleep 30\n")
        try self.run("Chains", chains: chains)
        for _ in 0..<5 { #expect(try self.statusTime() < .seconds(2)) }
        try self.run("Other")
        let ended = try self.order("terminate", "com.example.Chains")
        #expect(ProcessMarks.processes(of: users).isEmpty)
        #expect(ended.contains("com.example.Chains has ended"), "\(ended)")

        // The app starts again, even if processes of its last run still have to end.
        try self.run("Chains", chains: chains)
        let removed = try self.order("uninstall", "com.example.Chains", "--yes")
        #expect(ProcessMarks.processes(of: users).isEmpty)
        #expect(removed.contains("is removed"), "\(removed)")
        #expect(Waiting.until(within: 20) { clinux_user_has_processes(users) == 0 }, "zombies stay")
        #expect(!ProcessMarks.processes(of: users + 1).isEmpty, "the other app runs")
    }

    /// Goal: an app whose chains would occupy the processors is ended, and everything else continues.
    @Test func whoLeavesProcessesBehindWithoutEndIsEnded() throws {
        let daemon = try self.start(users: "77300-77307")
        defer { daemon.kill() }
        try self.install("Chains", Self.chains)
        try self.install("Other", "#!/bin/sh\necho forked; sleep 30\n")
        try self.run("Other")
        // The app may have ended before its start is reported.
        _ = try self.carriedOut("run", ["com.example.Chains", "--", "8", "0.002"])
        let isEnded = Waiting.until(within: 20) {
            guard let report = try? self.order("status", "--json") else { return false }
            return report.contains(/"forkers-ended",\s*"count":\s*"?1\b/)
                && ProcessMarks.processes(of: 77_301).isEmpty
        }
        #expect(isEnded)
        #expect(!ProcessMarks.processes(of: 77_300).isEmpty, "the other app runs")
        // The next run is not blamed for the last one.
        try self.install("Chains", Self.leaver)
        try self.order("run", "com.example.Chains")
        #expect(Waiting.until(within: 20) { self.output(of: "Chains").contains("left 60") })
        // A question is answered after all earlier events.
        for _ in 0..<3 { try self.order("status") }
        #expect(!ProcessMarks.processes(of: 77_301).isEmpty, "it was ended for what the last run left")
    }

    /// Goal: the app's processes end when locationd shuts down; if locationd was killed, they end before the next one
    /// starts serving.
    @Test(arguments: [SIGTERM, SIGKILL]) func noChainOutlivesLocationdAndItsApp(_ signal: Int32) throws {
        let users = 78_000 + UInt32(signal) * 10
        let daemon = try self.start(users: "\(users)-\(users + 7)")
        defer { daemon.kill() }
        try self.install("Chains", Self.chains)
        try self.run("Chains", chains: 8)
        let pid = try #require(try ControlCall.connect(in: self.runtime).peer?.pid)
        kill(pid, signal)
        #expect(Waiting.until(within: 20) { ProcessIdentity(pid: pid) == nil })
        guard signal == SIGKILL else {
            #expect(ProcessMarks.processes(of: users).isEmpty)
            return
        }
        // The app's first process started before all others.
        let app = try #require(ProcessMarks.processes(of: users).min { $0.startTicks < $1.startTicks })
        app.signal(SIGKILL)
        #expect(Waiting.until(within: 20) { ProcessIdentity(pid: app.pid) == nil })
        // A look at the processes may fall between two links of each chain.
        #expect(Waiting.until(within: 20) { !ProcessMarks.processes(of: users).isEmpty }, "the chains go on")
        _ = FileManager.default.createFile(atPath: self.scratch.path + "/again", contents: nil)
        _ = try daemon.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        #expect(ProcessMarks.processes(of: users).isEmpty)
    }
}
