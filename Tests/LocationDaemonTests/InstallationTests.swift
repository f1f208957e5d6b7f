internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationDaemon

/// Goal: locationd serves all clients while it copies an app.
@Suite(.offPool, .timeLimit(.minutes(1))) struct InstallationTests {
    private static let id = BundleID("com.example.Test")

    private func order(_ path: String, _ rig: DaemonRig) throws -> PacketSocket {
        let socket = try PacketSocket.connect(to: SocketPaths.control(in: rig.runtime))
        let order = DaemonRig.Control.with { $0.install.path = path }
        #expect(try socket.send(try WireMessage.encode(order)) == .sent)
        return socket
    }

    private func failure(_ socket: PacketSocket) throws -> String {
        try WireMessage.decode(DaemonRig.Reply.self, from: DaemonRig.packet(from: socket)).failure.message
    }

    /// The remaining copies in the store.
    private func copies(_ rig: DaemonRig) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: rig.scratch.path + "/state/apps")
            .filter { $0.hasPrefix(".") }
    }

    @Test func whileAnAppIsCopiedOthersAreServedAndTwoAtATimeAreSafe() async throws {
        let rig = try await DaemonRig()
        let path = try rig.scratch.makeBundle()
        let copying = await rig.daemon.copying
        copying.suspend()
        let waiting = [try self.order(path, rig), try self.order(path, rig)]
        #expect(try rig.status.apps.isEmpty)
        copying.resume()
        for socket in waiting { #expect(try self.failure(socket) == "") }
        #expect(try rig.status.apps.map(\.bundle) == [Self.id.rawValue])
        #expect(try Waiting.until(within: 20) { try self.copies(rig).isEmpty })
        let store = try BundleStore(directory: rig.scratch.path + "/state/apps", seal: await rig.daemon.seal)
        #expect(store.apps[Self.id]?.isIntact == true && store.broken.isEmpty)
        await rig.daemon.stop()
    }

    @Test func moreThanAFewAreNotBegun() async throws {
        let rig = try await DaemonRig()
        let path = try rig.scratch.makeBundle()
        let copying = await rig.daemon.copying
        copying.suspend()
        let waiting = try (1...Daemon.installationsMax).map { _ in try self.order(path, rig) }
        // Connections are served in any order, so which one exceeds the limit is undefined.
        let last = try self.order(path, rig)
        let all = waiting + [last]
        #expect(try rig.status.apps.isEmpty)
        copying.resume()
        let failures = try all.map(self.failure).filter { $0 != "" }
        #expect(failures.count == 1 && failures.first?.contains("8 installations are in progress") == true)
        #expect(try self.failure(self.order(path, rig)) == "")
        await rig.daemon.stop()
    }

    @Test func whatCannotBeCopiedLeavesNothing() async throws {
        let rig = try await DaemonRig()
        #expect(try self.failure(self.order(rig.scratch.path + "/Absent.app", rig)).contains("Absent.app"))
        let path = try rig.scratch.makeBundle(adding: ["UIRequiredDeviceCapabilities": ["magnetometer"]])
        #expect(try self.failure(self.order(path, rig)).contains("magnetometer"))
        #expect(try Waiting.until(within: 20) { try self.copies(rig).isEmpty })
        await rig.daemon.stop()
    }

    @Test func anAppWhoseRecordWentBadIsToldAndCanBeRemoved() async throws {
        let scratch = try Scratch()
        var store = try BundleStore(directory: scratch.path + "/state/apps", seal: .ofTests)
        _ = try store.install(path: scratch.makeBundle(), approving: [], capabilities: [])
        let place = scratch.path + "/state/apps/\(Self.id)"
        try Data("{".utf8).write(to: URL(fileURLWithPath: place + "/record.sealed"))
        let log = EventLog()
        let rig = try await DaemonRig(scratch: scratch, log: log)
        try log.wait(for: "an installed app is not served; install it again, or uninstall it")
        let status = try rig.status
        #expect(status.apps.isEmpty && status.broken.map(\.bundle) == [Self.id.rawValue])
        #expect(status.broken.first?.reason.contains("record.sealed was not written by this locationd") == true)
        let refused = try rig.ask(.with { $0.run.bundle = Self.id.rawValue }).failure.message
        #expect(refused.contains("record.sealed was not written by this locationd"))
        #expect(try rig.ask(.with { $0.uninstall.bundle = Self.id.rawValue }).failure.message == "")
        #expect(try rig.status.broken.isEmpty && !FileManager.default.fileExists(atPath: place))
        await rig.daemon.stop()
    }
}

extension Daemon {
    fileprivate var seal: StateSeal { self.storage.seal }
}
