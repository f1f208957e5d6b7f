internal import Foundation
internal import Logging
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Tests for the daemon in the test's process, over real sockets.
@Suite struct DaemonTests {
    private let scratch: Scratch
    private let daemon: Daemon
    private var runtime: String { self.scratch.path + "/run" }

    init() async throws {
        self.scratch = try Scratch()
        let track = self.scratch.path + "/none.nmea"
        try Data("$GPRMC,120000.00,A,5332.75,N,00957.98,E,2.7,95.9,171126,,,A*4A\r\n".utf8).write(
            to: URL(fileURLWithPath: track)
        )
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        self.daemon = try Daemon(
            DaemonConfiguration(
                stateDirectory: self.scratch.path + "/state",
                runtimeDirectory: self.scratch.path + "/run",
                sources: [.gpsd(host: "127.0.0.1", port: 9)],
                gateway: nil,
                launcherPath: "/bin/true",
                policy: Policy()
            ),
            logger: logger
        )
        try await self.daemon.start()
    }

    private func ask(_ request: WireControlRequest) throws -> WireControlReply {
        try ControlCall.reply(to: request, in: self.runtime)
    }

    /// Goal: a start that waits for the end of an app's processes fails if the app is uninstalled in the meantime.
    @Test func aRemovalComesBeforeTheStartsThatWait() async {
        let (notes, noted) = AsyncStream.makeStream(of: String.self)
        await Self.removeAndStart(self.daemon, BundleID("com.example.Test")) { noted.yield($0) }
        var order: [String] = []
        for await note in notes.prefix(2) { order.append(note) }
        #expect(order == ["removed", "started"])
    }

    private static func removeAndStart(
        _ daemon: isolated Daemon,
        _ bundle: BundleID,
        _ note: @escaping @Sendable (String) -> Void
    ) {
        daemon.processes.endAll(of: bundle) { _ in note("removed") }
        daemon.processes.whenSwept(bundle) { _ in note("started") }
    }

    /// Goal: the log of a refusal names the refused process, so that a person can end or allow it.
    @Test func aRefusedProcessIsNamed() {
        let metadata = ProcessTree.metadata(of: getpid(), 70_000)
        #expect(metadata["pid"] == "\(getpid())" && metadata["uid"] == "70000")
        #expect(metadata["program"].map { "\($0)".isEmpty } == false)
        #expect(ProcessTree.metadata(of: nil, nil).isEmpty)
    }

    @Test func aProcessThatIsNoInstalledAppIsToldSoAndCutOff() async throws {
        let socket = try PacketSocket.connect(to: SocketPaths.apps(in: self.runtime))
        guard case .packet(let packet, _) = try socket.waitForPacket(milliseconds: 10_000) else {
            return #expect(Bool(false), "no refusal")
        }
        let message = try WireMessage.decode(WireDaemonMessage.self, from: packet)
        #expect(message.refusal.message.contains("locationctl install"))
        guard case .closed = try socket.waitForPacket(milliseconds: 10_000) else {
            return #expect(Bool(false), "still open")
        }
        await self.daemon.stop()
    }

    @Test func ordersForUnknownAppsAreRefusedByName() async throws {
        let reply = try self.ask(.with { $0.run = .with { $0.bundle = "com.example.Absent" } })
        #expect(reply.failure.message.contains("com.example.Absent"))
        await self.daemon.stop()
    }

    @Test func anInstalledAppIsInTheStatus() async throws {
        let path = try self.scratch.makeBundle()
        let done = try self.ask(.with { $0.install = .with { $0.path = path } })
        #expect(done.done.message.contains("com.example.Test"))
        let status = try self.ask(.with { $0.status = .init() }).status
        #expect(status.apps.map(\.bundle) == ["com.example.Test"])
        #expect(status.apps.map(\.process) == ["not running"])
        #expect(status.locationServices && !status.hasPrompt)
        await self.daemon.stop()
    }

    @Test func anOrderThatCannotBeSavedIsNotSaidToBeDone() async throws {
        let path = try self.scratch.makeBundle()
        _ = try self.ask(.with { $0.install = .with { $0.path = path } })
        // A directory that is not empty cannot be replaced.
        let state = self.scratch.path + "/state/engine.sealed"
        try FileManager.default.removeItem(atPath: state)
        try FileManager.default.createDirectory(atPath: state + "/x", withIntermediateDirectories: true)
        let off = WireControlRequest.with {
            $0.settings = .with { $0.locationServices = false }
        }
        #expect(try self.ask(off).failure.message.contains(state))
        try FileManager.default.removeItem(atPath: state)
        // The decision is in force, and is saved when possible, without another order.
        try await OffPool.run {
            #expect(Waiting.until(within: 20) { FileManager.default.fileExists(atPath: state) })
        }
        let on = WireControlRequest.with { $0.settings = .with { $0.locationServices = true } }
        #expect(try self.ask(on).settings.locationServices)
        await self.daemon.stop()
    }

    @Test func garbageOnTheControlSocketEndsOnlyItsConnection() async throws {
        let socket = try PacketSocket.connect(to: SocketPaths.control(in: self.runtime))
        _ = try socket.send([0xFF, 0xFF, 0xFF])
        guard case .closed = try socket.waitForPacket(milliseconds: 10_000) else {
            return #expect(Bool(false), "still open")
        }
        #expect(try self.ask(.with { $0.status = .init() }).status.apps.isEmpty)
        await self.daemon.stop()
    }
}
