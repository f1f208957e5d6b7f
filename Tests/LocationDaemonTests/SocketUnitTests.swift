internal import Foundation
internal import Rig
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

private let python = "/usr/bin/python3"

/// Tests a real locationd that is started like a systemd service with `.socket` units.
@Suite(
    .offPool,
    .timeLimit(.minutes(1)),
    .enabled(if: FileManager.default.fileExists(atPath: python), "skipped: python3 is not installed")
)
struct SocketUnitTests {
    /// Opens the sockets, announces this, and becomes locationd a moment later.
    private static let manager = """
        import os, socket, sys, threading
        runtime, kind, names, command = sys.argv[1], sys.argv[2], sys.argv[3].split(","), sys.argv[4:]
        sockets = []
        for name in names:
            sockets.append(socket.socket(socket.AF_UNIX, getattr(socket, kind)))
            sockets[-1].bind(f"{runtime}/{name}.socket")
            sockets[-1].listen()
        print("open", flush=True)
        threading.Event().wait(0.5)
        high = [os.dup2(s.fileno(), 100 + number) for number, s in enumerate(sockets)]
        for number, descriptor in enumerate(high): os.dup2(descriptor, 3 + number, inheritable=True)
        os.closerange(100, 200)
        os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(names)), LISTEN_FDNAMES=":".join(names))
        os.execv(command[0], command)
        """

    private let scratch: Scratch
    private var runtime: String { self.scratch.path + "/run" }

    init() throws {
        self.scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: self.runtime, withIntermediateDirectories: false)
    }

    private func start(_ names: String, kind: String = "SOCK_SEQPACKET") throws -> Child {
        let child = try Child(
            "locationd",
            python,
            [
                "-c", Self.manager, self.runtime, kind, names, Binaries().path("locationd"), "--state",
                self.scratch.path + "/state", "--runtime", self.runtime, "--gpsd", "127.0.0.1:9", "--cgroup", "none",
            ],
            log: self.scratch.path + "/locationd.log"
        )
        _ = try child.waitForLine(within: 20) { $0 == "open" }
        return child
    }

    /// Goal: a client that connects before locationd runs is served when it does.
    @Test func thoseWhoCameEarlyAreServed() throws {
        let locationd = try self.start("control,apps")
        defer { locationd.terminate() }
        // Connected while nothing accepts connections yet.
        let reply = try ControlCall.reply(to: .with { $0.status = .init() }, in: self.runtime)
        let isStatus = if case .status? = reply.body { true } else { false }
        #expect(isStatus, "\(reply)")
        _ = try locationd.waitForLine(within: 20) { $0.hasPrefix("listening ") }
        // The service manager did not open the agents' socket, so locationd opens it.
        _ = try PacketSocket.connect(to: SocketPaths.agent(in: self.runtime))
    }

    @Test(arguments: [
        ("control,cupboard", "SOCK_SEQPACKET", "'cupboard'"), ("control", "SOCK_STREAM", "ListenSequentialPacket="),
    ])
    func aWrongUnitIsNamed(names: String, kind: String, words: String) throws {
        let locationd = try self.start(names, kind: kind)
        #expect(try locationd.waitForEnd(within: 20).status == 1)
        #expect(try String(contentsOfFile: self.scratch.path + "/locationd.log", encoding: .utf8).contains(words))
    }
}
