internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

private let python = "/usr/bin/python3"

/// Goal: with a system-wide locationd, whose apps have real users, an attacking app can access only its own data.
@Suite(
    .offPool,
    .timeLimit(.minutes(2)),
    .enabled(if: geteuid() == 0, "skipped: only root can start apps as other users"),
    .enabled(if: FileManager.default.fileExists(atPath: python), "skipped: python3 is not installed")
)
struct SystemModeTests {
    /// An app that attempts attacks, reports which succeeded, and keeps running.
    private static let attacker = """
        #!\(python)
        import ctypes, json, os, signal, socket, sys
        state, runtime, port, victim, locationd = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
        home, other = os.environ["HOME"], state + "/containers/com.example.Victim"
        libc = ctypes.CDLL(None, use_errno=True)
        def read(path): return lambda: open(path, "rb").read(16)
        def packets(name):
            def attempt():
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.connect(runtime + "/" + name)
                s.settimeout(5)
                s.send(b"\\x12\\x00")
                if not s.recv(1): raise OSError("closed")
            return attempt
        def traced(pid):
            def attempt():
                if libc.ptrace(16, pid, 0, 0) != 0: raise OSError(ctypes.get_errno(), "ptrace")
            return attempt
        attempts = {
            "its container": lambda: open(home + "/mine", "w").write("x"),
            "its bundle": read(state + "/apps/com.example.Attacker/Attacker.app/Info.plist"),
            "sh in its container": lambda: open(os.environ["TMPDIR"] + "/x", "w").write("x"),
            "change its bundle": lambda: open(state + "/apps/com.example.Attacker/Attacker.app/more", "w"),
            "its approvals": read(state + "/apps/com.example.Attacker/record.sealed"),
            "the names of the state": lambda: os.listdir(state),
            "the names of apps": lambda: os.listdir(state + "/apps"),
            "the names of containers": lambda: os.listdir(state + "/containers"),
            "the device's key": read(state + "/device.key"),
            "the users": read(state + "/users.json"),
            "the log": read(state + "/log.jsonl"),
            "the snapshots": lambda: [read(f"{state}/{name}")() for name in ("engine.0", "engine.1", "processes.json")],
            "pushes": lambda: os.listdir(state + "/pushes"),
            "outputs": lambda: os.listdir(state + "/output"),
            "another's output": read(state + "/output/com.example.Victim.log"),
            "another's container": lambda: os.listdir(other),
            "another's file": read(other + "/secret"),
            "another's bundle": read(state + "/apps/com.example.Victim/Victim.app/Info.plist"),
            "another's memory": read(f"/proc/{victim}/mem"),
            "another's environment": read(f"/proc/{victim}/environ"),
            "another's descriptors": lambda: os.listdir(f"/proc/{victim}/fd"),
            "stop another": lambda: os.kill(victim, signal.SIGSTOP),
            "trace another": traced(victim),
            "locationd's memory": read(f"/proc/{locationd}/mem"),
            "trace locationd": traced(locationd),
            "end locationd": lambda: os.kill(locationd, signal.SIGTERM),
            "orders": packets("control.socket"),
            "answers for people": packets("agent.socket"),
            "become root": lambda: os.setuid(0),
            "gpsd": lambda: socket.create_connection(("127.0.0.1", port), 5),
        }
        could = {"user": os.getuid(), "groups": os.getgroups()}
        for name, attempt in attempts.items():
            try:
                attempt()
                could[name] = True
            except OSError as error:
                could[name] = False
        print("attempts", json.dumps(could), flush=True)
        signal.pause()
        """

    /// A server at a free port, in place of gpsd.
    private static let listener = """
        import socket
        server = socket.create_server(("127.0.0.1", 0))
        print(server.getsockname()[1], flush=True)
        while True: server.accept()
        """

    /// The attempts that an app is allowed to make.
    private static let rights = ["its container", "its bundle", "sh in its container"]

    private let scratch: Scratch
    private var state: String { self.scratch.path + "/state" }
    private var runtime: String { self.scratch.path + "/run" }

    init() throws {
        self.scratch = try Scratch()
    }

    /// Starts locationd with the test's own range of users, because another test's app may have a user of a common
    /// range.
    private func start(users: String, gpsd port: Int = 9, _ more: String...) throws -> Child {
        try self.scratch.startLocationd(["--gpsd", "127.0.0.1:\(port)", "--app-users", users] + more)
    }

    private func ask(_ request: WireControlRequest) throws -> WireControlReply {
        try ControlCall.reply(to: request, in: self.runtime)
    }

    private func install(_ name: String, _ script: String) throws {
        let path = "\(self.scratch.path)/\(name).app"
        try self.scratch.write(
            [
                "CFBundleIdentifier": "com.example.\(name)", "CFBundleExecutable": name,
                "NSLocationWhenInUseUsageDescription": "why",
            ],
            to: "\(name).app/Info.plist"
        )
        _ = FileManager.default.createFile(
            atPath: "\(path)/\(name)",
            contents: Data(script.utf8),
            attributes: [.posixPermissions: 0o755]
        )
        #expect(try self.ask(.with { $0.install.path = path }).failure.message == "")
    }

    private func run(_ name: String, _ arguments: [String] = []) throws {
        let reply = try self.ask(
            .with {
                $0.run.bundle = "com.example.\(name)"
                $0.run.arguments = arguments
            }
        )
        #expect(reply.failure.message == "")
    }

    private func pid(of name: String) throws -> Int32 {
        let apps = try self.ask(.with { $0.status = .init() }).status.apps
        return try #require(apps.first { $0.bundle == "com.example.\(name)" }).pid
    }

    private static func owner(of path: String) -> UInt32? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.ownerAccountID].flatMap { UInt32("\($0)") }
    }

    /// Makes the attacker try everything again; returns the successful attempts.
    private func attack(as user: UInt32, port: Int, victim: Int32, locationd: Int32) throws -> [String: Bool] {
        let output = self.state + "/output/com.example.Attacker.log"
        try? FileManager.default.removeItem(atPath: output)
        try self.run("Attacker", [self.state, self.runtime, "\(port)", "\(victim)", "\(locationd)"])
        var line: Substring?
        #expect(
            Waiting.until(within: 60) {
                let lines = (try? String(contentsOfFile: output, encoding: .utf8))?.split(separator: "\n")
                line = lines?.first { $0.hasPrefix("attempts {") && $0.hasSuffix("}") }
                return line != nil
            }
        )
        let json = Data(try #require(line).dropFirst("attempts ".count).utf8)
        let could = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(could["user"] as? Int == Int(user))
        #expect((could["groups"] as? [Int])?.isEmpty == true)
        #expect(try self.ask(.with { $0.terminate.bundle = "com.example.Attacker" }).failure.message == "")
        return could.compactMapValues { $0 as? Bool }
    }

    @Test func anAppGetsNothingButItsOwn() throws {
        let gpsd = try Child("gpsd", python, ["-c", Self.listener], log: self.scratch.path + "/gpsd.log")
        defer { gpsd.terminate() }
        let port = try #require(try Int(gpsd.waitForLine(within: 20) { Int($0) != nil }))
        let daemon = try self.start(users: "70000-70127", gpsd: port)
        defer { daemon.terminate() }
        try self.install("Victim", "#!/bin/sh\necho private > secret\nsleep 600\n")
        try self.install("Attacker", Self.attacker)
        try self.run("Victim")
        let victim = try self.pid(of: "Victim")
        let container = self.state + "/containers/com.example.Victim"
        #expect(Waiting.until(within: 20) { FileManager.default.fileExists(atPath: container + "/secret") })
        // The first free user; a process of another program may have one.
        let user = try #require(Self.owner(of: container + "/secret"))
        #expect((70_000...70_127).contains(user))

        let could = try self.attack(as: user + 1, port: port, victim: victim, locationd: daemon.pid)
        #expect(could.count == 30)
        // Only a firewall can block gpsd's port, and this locationd has none.
        let expected = Set(Self.rights + ["gpsd"])
        #expect(Set(could.filter(\.value).keys) == expected, "\(could)")
        #expect(kill(victim, 0) == 0)
        #expect(
            try self.findings().contains {
                $0.severity == .trouble && $0.words.hasPrefix("can read positions from gpsd")
            }
        )

        try self.withFirewall(port: port) {
            let could = try self.attack(as: user + 1, port: port, victim: victim, locationd: daemon.pid)
            #expect(Set(could.filter(\.value).keys) == Set(Self.rights), "\(could)")
            let findings = try self.findings()
            #expect(findings.contains { $0.severity == .fine && $0.words.hasPrefix("each app has its own user") })
        }
    }

    private func findings() throws -> [WireFinding] {
        try self.ask(.with { $0.diagnosis = .init() }).diagnosis.findings
    }

    /// Runs with the packaged firewall rules, for another port.
    private func withFirewall(port: Int, _ body: () throws -> Void) throws {
        let packaged = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "packaging/locationd/apps.nft")
        let table = "locationd_test_\(getpid())"
        let rules = try String(contentsOf: packaged, encoding: .utf8).replacing("2947", with: "\(port)")
            .replacing("locationd_apps", with: table)
        let file = self.scratch.path + "/apps.nft"
        try Data(rules.utf8).write(to: URL(filePath: file))
        let log = self.scratch.path + "/nft.log"
        guard let nft = ["/usr/sbin/nft", "/sbin/nft"].first(where: FileManager.default.isExecutableFile),
            try Child("nft", nft, ["-f", file], log: log).waitForEnd(within: 20).status == 0
        else { return print("skipped: no nft(8) here, or a kernel without it: apps and gpsd's port") }
        defer { _ = try? Child("nft", nft, ["delete", "table", "inet", table], log: log).waitForEnd(within: 20) }
        try body()
    }

    /// Goal: an app that fills the disk is ended, and a refusal that a person decided in the meantime survives a crash.
    @Test func anAppThatFillsTheDiskUndoesNoRefusal() throws {
        #expect(unsafe mkdir(self.state, 0o711) == 0)
        guard unsafe mount("none", self.state, "tmpfs", 0, "size=96m,mode=0711") == 0 else {
            return print("skipped: mount(2) is refused")
        }
        defer { unsafe umount2(self.state, 2) }  // MNT_DETACH
        let daemon = try self.start(users: "76000-76007")
        let fill = "dd if=/dev/zero of=\"$HOME/fill\" bs=65536 2>/dev/null"
        try self.install("Filler", "#!/bin/sh\n\(fill)\nexec sleep 600\n")
        func setting(_ location: WireAppSettings.Location?) throws -> WireControlReply {
            try self.ask(
                .with {
                    $0.settings.bundle = "com.example.Filler"
                    if let location { $0.settings.location = location }
                }
            )
        }
        #expect(try setting(.always).failure.message == "")
        try self.run("Filler")
        var status = statvfs()
        #expect(Waiting.until(within: 60) { unsafe statvfs(self.state, &status) == 0 && status.f_bavail == 0 })
        #expect(try setting(.never).failure.message == "")
        #expect(try self.ask(.with { $0.status = .init() }).status.stateFault.contains("0 MiB are free"))
        #expect(Waiting.until(within: 60) { (try? self.pid(of: "Filler")) == 0 })
        kill(daemon.pid, SIGKILL)
        _ = try daemon.waitForEnd(within: 20)
        let again = try self.start(users: "76000-76007")
        defer { again.kill() }
        #expect(try setting(nil).settings.apps.first?.location == .never)
    }

    /// Goal: an app keeps its user until its files are gone, over versions and restarts.
    ///
    /// Then the user is the last to be assigned again.
    @Test func aUserIsAnAppsUntilItsFilesAreGone() throws {
        let users = "71000-71127"
        var daemon = try self.start(users: users)
        let script = "#!/bin/sh\ntouch here\nsleep 600 & exec sleep 600\n"
        for name in ["One", "Two"] { try self.install(name, script) }
        try self.run("Two")
        let container = self.state + "/containers/com.example.Two"
        #expect(Waiting.until(within: 20) { Self.owner(of: container + "/here") == 71_000 })
        daemon.terminate()
        daemon = try self.start(users: users)
        try self.install("Two", script + "# another version\n")
        try self.run("Two")
        #expect(Self.owner(of: container + "/here") == 71_000)

        // An app is removed that left a process and files for the next app with its user.
        try self.run("One")
        let left = "/dev/shm/locationd-test-\(UUID().uuidString)"
        #expect(unsafe mkdir(left, 0o700) == 0 && lchown(left, 71_001, 71_001) == 0)
        defer { unsafe rmdir(left) }
        #expect(try self.ask(.with { $0.uninstall.bundle = "com.example.One" }).failure.message == "")
        #expect(unsafe access(left, F_OK) != 0)
        try self.install("Three", script)
        try self.run("Three")
        let threes = self.state + "/containers/com.example.Three"
        #expect(Waiting.until(within: 20) { Self.owner(of: threes + "/here") == 71_002 })
        daemon.terminate()
        let kept = try AppUsers(range: 71_000...71_127, state: self.state)
        #expect(kept.numbers.values.sorted() == [71_000, 71_002])

        // No app could start in a directory that others cannot traverse.
        #expect(unsafe chmod(self.scratch.path, 0o700) == 0)
        let closed = try Child(
            "locationd",
            Binaries().path("locationd"),
            ["--state", self.state, "--runtime", self.runtime, "--app-users", users],
            log: self.scratch.path + "/closed.log"
        )
        #expect(try closed.waitForEnd(within: 20).status == 1)
        let reason = try String(contentsOfFile: self.scratch.path + "/closed.log", encoding: .utf8)
        #expect(reason.contains("apps cannot enter \(self.scratch.path), which contains"))

        // Without the range, locationd could not know whose files are whose.
        let bare = try Child(
            "locationd",
            Binaries().path("locationd"),
            ["--state", self.state, "--runtime", self.runtime],
            log: self.scratch.path + "/bare.log"
        )
        #expect(try bare.waitForEnd(within: 20).status == 1)
        let words = try String(contentsOfFile: self.scratch.path + "/bare.log", encoding: .utf8)
        #expect(words.contains("give the same --app-users range"))
    }

    /// Goal: files that apps created when all of them ran as root belong to the apps' users.
    @Test func filesFromBeforeAreHandedOver() throws {
        let container = self.state + "/containers/com.example.Old/Library"
        try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(filePath: container + "/identity"))
        let daemon = try self.start(users: "72000-72127")
        defer { daemon.terminate() }
        try self.install("Old", "#!/bin/sh\ncat Library/identity > read\nsleep 600\n")
        try self.run("Old")
        let read = self.state + "/containers/com.example.Old/read"
        #expect(Waiting.until(within: 20) { (try? Data(contentsOf: URL(filePath: read))) == Data("x".utf8) })
        #expect(Self.owner(of: container + "/identity") == 72_000)
    }

    /// Goal: members of the owners' group may give orders; others, and apps whose user has the group's number, may not.
    @Test func membersOfTheOwnersGroupGiveOrders() throws {
        // A group that every Debian system has, without members.
        let daemon = try self.start(users: "73000-73127", gpsd: 9, "--owners", "nogroup")
        defer { daemon.terminate() }
        // Other users may be unable to enter root's folders.
        let program = self.scratch.path + "/locationctl"
        try FileManager.default.copyItem(atPath: Binaries().path("locationctl"), toPath: program)
        func locationctl(user: Int, group: Int) throws -> Int32 {
            try Child(
                "locationctl",
                python,
                [
                    "-c",
                    "import os, sys; os.setgroups([]); os.setgid(int(sys.argv[1])); os.setuid(int(sys.argv[2])); "
                        + "os.execv(sys.argv[3], sys.argv[3:])",
                    "\(group)", "\(user)", program, "status", "--runtime", self.runtime,
                ],
                log: self.scratch.path + "/locationctl.log"
            ).waitForEnd(within: 20).status
        }
        #expect(try locationctl(user: 60_001, group: 65_534) == 0)
        #expect(try locationctl(user: 60_001, group: 60_001) != 0)
        #expect(try locationctl(user: 73_005, group: 65_534) != 0)
    }
}
