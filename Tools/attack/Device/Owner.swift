internal import Dispatch
internal import Rig
internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// The device's owner, with an agent, and with orders over the control socket.
final class Owner: Sendable {
    private let runtime: String
    private let agent: PacketSocket

    init(runtime: String) throws {
        self.runtime = runtime
        self.agent = try PacketSocket.connect(to: SocketPaths.agent(in: runtime))
        self.agent.setNonblocking()
        _ = try self.agent.send(try WireMessage.encode(AgentRequest.with { $0.hello.version = 1 }))
    }

    /// Gives locationd an order, and waits for its reply.
    func order(_ request: WireControlRequest) async throws -> WireControlReply {
        // Waiting here would block a thread of the attacker.
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try self.ask(request) }) }
        }
    }

    private func ask(_ request: WireControlRequest) throws -> WireControlReply {
        let socket = try PacketSocket.connect(to: SocketPaths.control(in: self.runtime))
        _ = try socket.send(try WireMessage.encode(request))
        guard case .packet(let packet, _) = try socket.waitForPacket(milliseconds: 10_000) else {
            throw RigError("locationd", "it did not answer its owner")
        }
        let reply = try WireMessage.decode(WireControlReply.self, from: packet)
        if case .failure(let failure) = reply.body { throw RigError("locationd", failure.message) }
        return reply
    }

    /// Reads all events that the agent receives.
    ///
    /// - Throws: if locationd cut the agent off.
    func readEvents() throws {
        while true {
            switch try self.agent.receive() {
            case .packet(let packet, _): _ = try WireMessage.decode(AgentEvent.self, from: packet)
            case .empty: return
            case .closed: throw RigError("locationd", "it cut its owner's agent off")
            }
        }
    }
}
