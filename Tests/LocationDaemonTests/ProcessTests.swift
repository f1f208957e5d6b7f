internal import Dispatch
internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Tests with real processes: started, suspended with their children, adopted, ended.
@Suite(.offPool) struct ProcessTests {
    /// The way in which a process is suspended.
    enum Way {
        /// With a cgroup for the process.
        case cgroup
        /// By signals to its process group.
        case signals
    }

    /// Both, if the machine lets this test create cgroups.
    static let ways: [Way] = (try? CgroupTree.find(.own, state: "")) == nil ? [.signals] : [.cgroup, .signals]

    private let scratch: Scratch
    private let queue = DispatchQueue(label: "test")

    init() throws {
        self.scratch = try Scratch()
    }

    /// Starts a shell that leads a group, with a child, which may have another session.
    ///
    /// Both write numbers to a file forever.
    private func start(
        _ way: Way,
        leavesGroup: Bool = false,
        mark: AppMark? = nil
    ) throws -> (pid: pid_t, cgroup: Cgroup?) {
        let tree = way == .cgroup ? try CgroupTree.find(.own, state: self.scratch.path) : nil
        let cgroup = try tree.map { try #require($0.make("app-test")) }
        func count(_ name: String) -> String { "while :; do echo x >> \(name); sleep 0.01; done" }
        let script = "\(leavesGroup ? "setsid " : "")sh -c '\(count("child"))' & \(count("leader"))"
        let launcher = ProcessLauncher(launcherPath: try Self.launcher(), runtimeDirectory: self.scratch.path)
        let pid = try launcher.launch(
            ProcessLauncher.Order(
                executable: "/bin/sh",
                arguments: ["-c", script],
                container: self.scratch.path,
                outputPath: self.scratch.path + "/output",
                connection: PacketSocket.pair().1,
                cgroup: cgroup,
                mark: mark?.value
            )
        )
        return (pid, cgroup)
    }

    /// Goal: an app cannot read the nearby Wi-Fi stations through any socket; other requests about interfaces work.
    ///
    /// Method: without wireless interfaces, a socket answers these requests with ENOTTY, and the filter with EPERM.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "skipped: needs python3"))
    func theWirelessExtensionsAreClosedToApps() throws {
        let script = """
            import fcntl, os, socket, struct
            s = socket.socket()
            for request in [0x8B00, 0x8B15, 0x8B19, 0x8BFF, 0x8AFF, 0x8C00, 0x8933]:
                try: print("done" if fcntl.ioctl(s, request, struct.pack("256s", b"lo")) else "", end=" ")
                except OSError as error: print(error.errno, end=" ")
            print(flush=True)
            """
        let launcher = ProcessLauncher(launcherPath: try Self.launcher(), runtimeDirectory: self.scratch.path)
        let pid = try launcher.launch(
            ProcessLauncher.Order(
                executable: "/usr/bin/python3",
                arguments: ["-c", script],
                container: self.scratch.path,
                outputPath: self.scratch.path + "/output",
                connection: PacketSocket.pair().1
            )
        )
        defer { _ = waitpid(pid, nil, 0) }
        func output() -> String {
            (try? String(contentsOfFile: self.scratch.path + "/output", encoding: .utf8)) ?? ""
        }
        _ = Waiting.until(within: 20) { output().contains("\n") }
        #expect(output() == "\(EPERM) \(EPERM) \(EPERM) \(EPERM) \(ENOTTY) \(ENOTTY) done \n", "\(output())")
    }

    /// Goal: an extension starts in its cgroup, even with a filter without clone3, such as that of systemd's
    /// `RestrictNamespaces=`.
    @Test(
        .enabled(if: ways.contains(.cgroup), "skipped: this test may not make cgroups"),
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "skipped: needs python3"),
        arguments: [false, true]
    )
    func anExtensionBeginsInItsCgroup(deniesClone3: Bool) throws {
        let tree = try #require(try CgroupTree.find(.own, state: self.scratch.path))
        let cgroup = try #require(tree.make("extension-test"))
        defer { self.remove(cgroup) }
        // The filter's rules: clone3 (435 on every architecture) fails with ENOSYS, the others are allowed.
        let script = """
            import ctypes, errno, os, struct, sys
            def step(code, yes, no, k): return struct.pack("HBBI", code, yes, no, k)
            filter = step(0x20, 0, 0, 0) + step(0x15, 0, 1, 435)
            filter += step(6, 0, 0, 0x50000 | errno.ENOSYS) + step(6, 0, 0, 0x7FFF0000)
            memory = ctypes.create_string_buffer(filter)
            program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 4, ctypes.addressof(memory)))
            prctl = ctypes.CDLL(None, use_errno=True).prctl
            if prctl(38, 1, 0, 0, 0) or prctl(22, 2, program, 0, 0): sys.exit(os.strerror(ctypes.get_errno()))
            os.execv(sys.argv[1], sys.argv[1:])
            """
        let launch = [
            try Self.launcher(), "-s", "-c", cgroup.directory, "-d", "/", "--", "/bin/cat", "/proc/self/cgroup",
        ]
        let process = Process()
        process.executableURL = URL(filePath: deniesClone3 ? "/usr/bin/python3" : launch[0])
        process.arguments = deniesClone3 ? ["-c", script] + launch : Array(launch.dropFirst())
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let own = output.split(separator: "\n").first { $0.hasPrefix("0::") }
        #expect(own?.hasSuffix("/extension-test") == true, "\(output)")
    }

    /// Goal: a launcher that cannot join a cgroup reports it with the reason, for apps and extensions, and starts
    /// nothing.
    ///
    /// Method: the kernel refuses to start a process in a directory that is not a cgroup, and /dev/full refuses the
    /// write.
    @Test(arguments: [[], ["-s"]]) func aCgroupThatCannotBeJoinedIsNamed(options: [String]) throws {
        let cgroup = self.scratch.path + "/cgroup"
        try FileManager.default.createDirectory(atPath: cgroup, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: cgroup + "/cgroup.procs", withDestinationPath: "/dev/full")
        let process = Process()
        process.executableURL = URL(filePath: try Self.launcher())
        process.arguments = options + ["-c", cgroup, "-d", "/", "--", "/bin/echo", "started"]
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 126)
        #expect(output == "location-launch: cannot join the cgroup \(cgroup): No space left on device\n")
    }

    /// The last processes may take a moment to die.
    private func remove(_ cgroup: Cgroup?) {
        guard let cgroup else { return }
        cgroup.kill()
        #expect(
            Waiting.until(within: 20) {
                cgroup.remove()
                return !FileManager.default.fileExists(atPath: cgroup.directory)
            }
        )
    }

    static func launcher() throws -> String {
        let tests = try #require(CommandLine.arguments.first { $0.hasSuffix(".xctest") })
        return (tests as NSString).deletingLastPathComponent + "/location-launch"
    }

    private func size(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: self.scratch.path + "/" + name)[.size] as? Int) ?? 0
    }

    /// Waits until both processes write, or for a period in which neither does.
    private func bothGrow(within seconds: Double) -> Bool {
        let before = ["leader", "child"].map { self.size($0) }
        return Waiting.until(within: seconds) { zip(["leader", "child"], before).allSatisfy { self.size($0) > $1 } }
    }

    @Test(.timeLimit(.minutes(1)), arguments: Self.ways)
    func aFrozenProcessStandsStillWithAllItStarted(_ way: Way) throws {
        let (pid, cgroup) = try self.start(way)
        let ended = DispatchSemaphore(value: 0)
        let process = try AppProcess(child: pid, cgroup: cgroup, queue: self.queue) { _, _ in ended.signal() }
        #expect(self.bothGrow(within: 20))
        process.freeze()
        // The freezer takes effect after a short time.
        #expect(Waiting.until(within: 20) { !self.bothGrow(within: 0.2) })
        let sizes = ["leader", "child"].map { self.size($0) }
        #expect(!Waiting.until(within: 0.3) { ["leader", "child"].map { self.size($0) } != sizes })
        process.thaw()
        #expect(self.bothGrow(within: 20))
        process.freeze()
        process.signal(SIGKILL)
        #expect(ended.wait(timeout: .now() + 20) == .success)
        // Its child ends with it.
        #expect(Waiting.until(within: 20) { !self.bothGrow(within: 0.2) })
        self.remove(cgroup)
    }

    /// Goal: without a cgroup, no process of an app continues in the background, whichever group or session it moved
    /// to.
    @Test(.timeLimit(.minutes(1)), arguments: [false, true])
    func whatLeftTheGroupStandsStillToo(_ isTakenOver: Bool) throws {
        let marks = try #require(ProcessMarks(state: self.scratch.path, users: geteuid()...geteuid()))
        let mark = marks.mark(of: BundleID("app"))
        let (pid, _) = try self.start(.signals, leavesGroup: true, mark: mark)
        let ended = DispatchSemaphore(value: 0)
        var process = try AppProcess(child: pid, cgroup: nil, mark: mark, queue: self.queue) { _, _ in
            ended.signal()
        }
        #expect(self.bothGrow(within: 20))
        process.freeze()
        #expect(Waiting.until(within: 20) { !["leader", "child"].contains { self.grows($0) } })
        if isTakenOver {
            let identity = process.identity
            process = try #require(
                AppProcess(adopting: identity, cgroup: nil, mark: mark, queue: self.queue) { _, _ in ended.signal()
                }
            )
        }
        process.thaw()
        #expect(self.bothGrow(within: 20))
        process.freeze()
        process.signal(SIGKILL)
        #expect(ended.wait(timeout: .now() + 20) == .success)
        #expect(marks.killAll(but: []) == 0, "a stopped one ends as well")
        if isTakenOver {
            var status: Int32 = 0
            unsafe waitpid(pid, &status, 0)
        }
    }

    private func grows(_ name: String) -> Bool {
        let before = self.size(name)
        return Waiting.until(within: 0.1) { self.size(name) > before }
    }

    /// Goal: a process can choose its name, but hides nothing by it.
    @Test(.timeLimit(.minutes(1))) func aNameThatIsNoTextHidesNobody() throws {
        let script = #"printf '\377) Z 1 (' > /proc/$$/comm; echo named; sleep 60 & wait"#
        let child = try Child("sh", "/bin/sh", ["-c", script], log: self.scratch.path + "/sh.log")
        defer { child.kill() }
        _ = try child.waitForLine(within: 20) { $0 == "named" }
        let before = try #require(ProcessIdentity(pid: child.pid))
        #expect(ProcessTree.kin(of: child.pid)?.contains(getpid()) == true)
        #expect(ProcessIdentity(pid: child.pid) == before)
    }

    @Test(.timeLimit(.minutes(1)), arguments: Self.ways)
    func anotherLocationdTakesAFrozenProcessOver(_ way: Way) throws {
        let (pid, cgroup) = try self.start(way)
        let identity = try #require(ProcessIdentity(pid: pid))
        #expect(self.bothGrow(within: 20))
        var first: AppProcess? = try AppProcess(child: pid, cgroup: cgroup, queue: self.queue) { _, _ in }
        first?.freeze()
        first = nil
        let ended = DispatchSemaphore(value: 0)
        let second = try #require(
            AppProcess(adopting: identity, cgroup: cgroup, queue: self.queue) { _, _ in ended.signal() }
        )
        second.thaw()
        #expect(self.bothGrow(within: 20))
        second.signal(SIGKILL)
        #expect(ended.wait(timeout: .now() + 20) == .success)
        var status: Int32 = 0
        unsafe waitpid(pid, &status, 0)
        #expect(AppProcess(adopting: identity, cgroup: cgroup, queue: self.queue) { _, _ in } == nil)
        self.remove(cgroup)
    }

    @Test(.timeLimit(.minutes(1)), arguments: Self.ways)
    func whatCannotBeTakenOverGoesOn(_ way: Way) throws {
        let (pid, cgroup) = try self.start(way)
        let identity = try #require(ProcessIdentity(pid: pid))
        #expect(self.bothGrow(within: 20))
        let ended = DispatchSemaphore(value: 0)
        let process = try AppProcess(child: pid, cgroup: cgroup, queue: self.queue) { _, _ in ended.signal() }
        process.freeze()
        AppProcess.release(identity, cgroup: cgroup)
        #expect(self.bothGrow(within: 20))
        process.signal(SIGKILL)
        // The process stays a zombie until this test waits for it. An exit test elsewhere inspects every child that
        // ended, and would find this one forever.
        withExtendedLifetime(process) { #expect(ended.wait(timeout: .now() + 20) == .success) }
        #expect(ProcessIdentity(pid: pid) == nil)
        self.remove(cgroup)
    }

    @Test func aNumberThatWentToAnotherProcessIsToldApart() throws {
        let own = try #require(ProcessIdentity(pid: getpid()))
        #expect(ProcessIdentity(pid: getpid()) == own)
        #expect(ProcessIdentity(pid: 0) == nil)
        let text = try JSONEncoder().encode(own)
        #expect(try JSONDecoder().decode(ProcessIdentity.self, from: text) == own)
    }

    @Test func theLedgerComesBackButNotDamaged() throws {
        let path = self.scratch.path + "/processes.json"
        var ledger = ProcessLedger(path: path)
        let own = try #require(ProcessIdentity(pid: getpid()))
        let records = [ProcessLedger.Record(bundle: "a.b", process: own, cgroup: nil, isForeground: true)]
        try ledger.save(records)
        #expect(ProcessLedger(path: path).load() == records)
        try Data("{".utf8).write(to: URL(fileURLWithPath: path))
        #expect(ProcessLedger(path: path).load().isEmpty)
    }

    /// Goal: the process of a script, which has its interpreter's name, still belongs to its app after locationd was
    /// killed.
    ///
    /// It is adopted, not started twice, and ends with the app.
    @Test func aScriptIsTakenOverByTheNextLocationd() throws {
        let runtime = self.scratch.path + "/run"
        let path = try self.scratch.makeBundle()
        let pids = self.scratch.path + "/pids"
        try Data("#!/bin/sh\necho $$ >>\(pids)\nsleep 600\n".utf8)
            .write(to: URL(fileURLWithPath: path + "/Test"))
        let first = try self.scratch.startLocationd()
        _ = try ControlCall.reply(to: .with { $0.install.path = path }, in: runtime)
        let run = WireControlRequest.with { $0.run.bundle = DaemonRig.bundle.rawValue }
        #expect(try ControlCall.reply(to: run, in: runtime).failure.message == "")
        first.kill()
        let second = try self.scratch.startLocationd()
        defer { second.terminate() }
        func all() -> [Int32] {
            ((try? String(contentsOfFile: pids, encoding: .utf8)) ?? "").split(separator: "\n").compactMap { Int32($0) }
        }
        let pid = try #require(all().first)
        defer { kill(pid, SIGKILL) }
        #expect(ProcessIdentity(pid: pid) != nil)
        let again = try ControlCall.reply(to: run, in: runtime)
        #expect(again.done.message.contains("runs already"), "\(again)")
        #expect(all() == [pid])
        _ = try ControlCall.reply(to: .with { $0.terminate.bundle = DaemonRig.bundle.rawValue }, in: runtime)
        #expect(Waiting.until(within: 20) { ProcessIdentity(pid: pid) == nil })
    }

    /// Goal: the process of a script that was replaced while no locationd ran does not belong to the new script.
    @Test func aScriptThatWasReplacedIsNotTakenOver() throws {
        let store = try BundleStore(directory: self.scratch.path + "/apps", seal: .ofTests)
        var installed = store
        let path = try self.scratch.makeBundle()
        func install(_ number: Int) throws {
            let copy = try BundleStore.copy(
                path,
                to: store.staging(number),
                approving: [],
                capabilities: [],
                seal: .ofTests
            )
            _ = try installed.install(copy)
        }
        try install(1)
        let script = try #require(installed.script(of: DaemonRig.bundle))
        let own = try #require(ProcessIdentity(pid: getpid()))
        let record = ProcessLedger.Record(
            bundle: DaemonRig.bundle.rawValue,
            process: own,
            script: script,
            cgroup: nil,
            isForeground: true
        )
        #expect(installed.runs(record) && !installed.isLeftBehind(record))
        try install(2)
        #expect(!installed.runs(record) && installed.isLeftBehind(record))
    }

    @Test func aDirectoryThatIsNoCgroupIsRefusedByName() throws {
        let error = try #require(throws: DaemonError.self) {
            try CgroupTree.find(.at(self.scratch.path), state: "/state")
        }
        #expect(error.description.contains(self.scratch.path) && error.description.contains("--cgroup none"))
        #expect(try CgroupTree.find(.disabled, state: "/state") == nil)
    }
}
