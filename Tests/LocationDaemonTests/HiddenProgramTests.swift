internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// Tests for programs that forbid memory dumps, whose executable the kernel shows only to root.
///
/// When run as root, these tests start locationd and the programs as an ordinary user, because root may examine every
/// process.
@Suite(
    .offPool,
    .timeLimit(.minutes(1)),
    .enabled(
        if: Binaries.system("python3") != nil && Binaries.system("setpriv") != nil,
        "skipped: no python3 or setpriv"
    )
)
struct HiddenProgramTests {
    private static let user: uid_t = 61_234
    /// Forbids dumps, sends a packet, and prints the reply.
    private static let program = """
        import ctypes, socket, sys
        assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.settimeout(20)
        s.connect(sys.argv[1])
        try: s.send(bytes.fromhex(sys.argv[2]))
        except BrokenPipeError: pass  # refused already, with the reason in the reply
        print("reply", s.recv(1 << 17).hex(), flush=True)
        """

    private let scratch: Scratch
    private var runtime: String { self.scratch.path + "/run" }
    private var python: String { Binaries.system("python3") ?? "" }

    init() throws {
        self.scratch = try Scratch()
        guard geteuid() == 0 else { return }
        guard unsafe chown(self.scratch.path, Self.user, Self.user) == 0 else {
            throw RigError("the test", "cannot give its folder away")
        }
    }

    /// Starts a program as an ordinary user.
    private func start(_ program: String, _ arguments: [String]) throws -> Child {
        let drops = geteuid() == 0 ? ["--reuid=\(Self.user)", "--regid=\(Self.user)", "--clear-groups"] : []
        return try Child(
            "a program",
            Binaries.system("setpriv") ?? "",
            drops + ["--no-new-privs", program] + arguments,
            log: self.scratch.path + "/log"
        )
    }

    private func locationd() throws -> Child {
        let state = self.scratch.path + "/state"
        let arguments = ["--state", state, "--runtime", self.runtime, "--gpsd", "127.0.0.1:9", "--cgroup", "none"]
        // Other users may be unable to enter root's folders.
        let folder = self.scratch.path + "/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for name in ["locationd", "location-launch"] {
            try FileManager.default.copyItem(atPath: Binaries().path(name), toPath: "\(folder)/\(name)")
        }
        let child = try self.start(folder + "/locationd", arguments)
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        return child
    }

    private func status(from program: Child) throws -> WireControlReply {
        let line = try program.waitForLine(within: 30) { $0.hasPrefix("reply ") }.dropFirst("reply ".count)
        let bytes = stride(from: 0, to: line.count, by: 2).compactMap { place in
            UInt8(line.dropFirst(place).prefix(2), radix: 16)
        }
        return try WireMessage.decode(WireControlReply.self, from: bytes)
    }

    private var request: String {
        get throws {
            try WireMessage.encode(WireControlRequest.with { $0.status = .init() })
                .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    /// Goal: `locationd-geoclue`, which is such a program, is served as the owner's program.
    @Test func aProgramOfTheOwnersIsServed() throws {
        let locationd = try self.locationd()
        defer { locationd.terminate() }
        let arguments = ["-c", Self.program, SocketPaths.control(in: self.runtime), try self.request]
        let program = try self.start(self.python, arguments)
        defer { program.terminate() }
        let reply = try self.status(from: program)
        guard case .status = reply.body else { throw RigError("locationd", "it refused: \(reply.failure.message)") }
    }

    /// Goal: an app gains nothing by hiding its program.
    @Test func anAppThatHidesItsProgramIsRefused() throws {
        let locationd = try self.locationd()
        defer { locationd.terminate() }
        let path = try self.scratch.makeBundle()
        let control = SocketPaths.control(in: self.runtime)
        let script = "#!/bin/sh\nexec \(self.python) -c '\(Self.program)' '\(control)' \(try self.request)\n"
        try Data(script.utf8).write(to: URL(filePath: path + "/Test"))
        #expect(try ControlCall.reply(to: .with { $0.install.path = path }, in: self.runtime).failure.message == "")
        _ = try ControlCall.reply(to: .with { $0.run.bundle = DaemonRig.bundle.rawValue }, in: self.runtime)
        let output = self.scratch.path + "/state/output/\(DaemonRig.bundle).log"
        func said() -> String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
        #expect(Waiting.until(within: 20) { said().contains("reply ") }, "\(said())")
        let refusal = "apps and the programs that they start may not control locationd"
        let words = refusal.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(said().contains(words), "\(said())")
    }
}
