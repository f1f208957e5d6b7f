internal import Foundation
internal import LocationEngine
internal import LocationWire
internal import LocationWireMessages
internal import SwiftProtobuf
internal import Testing

@testable internal import LocationDaemon

/// Brokers speak for programs that know nothing of locationd; each of those is an app like any other.
@Suite(.timeLimit(.minutes(1))) struct BrokerTests {
    private func connect(_ rig: DaemonRig, _ bundle: String) throws -> (PacketSocket, WireDaemonMessage) {
        let socket = try PacketSocket.connect(to: SocketPaths.broker(in: rig.runtime))
        let order = WireRunRequest.with { $0.bundle = bundle }
        #expect(try socket.send(try WireMessage.encode(order)) == .sent)
        return (socket, try WireMessage.decode(WireDaemonMessage.self, from: DaemonRig.packet(from: socket)))
    }

    @Test func aBrokersConnectionIsItsAppsAndIsSeen() async throws {
        try await OffPool.run {
            let rig = try await DaemonRig()
            try rig.install()
            let agent = try TestAgent(rig)
            let (socket, greeting) = try self.connect(rig, DaemonRig.bundle.rawValue)
            #expect(greeting.body == .ready(.init()))
            try rig.declare(.init(), on: socket)
            let state = try WireMessage.decode(WireDaemonMessage.self, from: DaemonRig.packet(from: socket)).state
            #expect(state.phase == .foreground && state.authorization == .notDetermined)
            let request = WireClientMessage.with { $0.authorizationRequest = .init() }
            #expect(try socket.send(try WireMessage.encode(request)) == .sent)
            let prompt = try agent.waitForPrompt()
            #expect(prompt.bundle == DaemonRig.bundle.rawValue)
            try agent.answer(prompt.id, .allowOnce)
            let told = try WireMessage.decode(WireDaemonMessage.self, from: DaemonRig.packet(from: socket)).state
            #expect(told.authorization == .whenInUse)
            await rig.daemon.stop()
        }
    }

    @Test func anAppThatIsNotInstalledHasNoBroker() async throws {
        try await OffPool.run {
            let rig = try await DaemonRig()
            let (_, greeting) = try self.connect(rig, "com.example.Absent")
            #expect(greeting.refusal.message.contains("no app com.example.Absent is installed"))
            await rig.daemon.stop()
        }
    }

    @Test func garbageFromABrokerEndsItsConnection() async throws {
        try await OffPool.run {
            let rig = try await DaemonRig()
            let socket = try PacketSocket.connect(to: SocketPaths.broker(in: rig.runtime))
            #expect(try socket.send([0xFF, 0xFF]) == .sent)
            guard case .closed = try socket.waitForPacket(milliseconds: 10_000) else {
                Issue.record("it goes on")
                return
            }
            await rig.daemon.stop()
        }
    }
}
