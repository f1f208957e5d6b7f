internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// Sends orders and questions to the control socket, as `locationctl` does.
enum ControlCall {
    /// Opens a connection to the locationd whose sockets are in a directory.
    static func connect(in runtime: String) throws -> PacketSocket {
        try PacketSocket.connect(to: SocketPaths.control(in: runtime))
    }

    /// Sends a question; nil: locationd ended before it answered.
    static func reply(to request: WireControlRequest, on socket: PacketSocket) throws -> WireControlReply? {
        guard case .sent = try socket.send(try WireMessage.encode(request)),
            case .packet(let packet, _) = try socket.waitForPacket(milliseconds: 20_000)
        else { return nil }
        return try WireMessage.decode(WireControlReply.self, from: packet)
    }

    /// Sends a question on a new connection.
    static func reply(to request: WireControlRequest, in runtime: String) throws -> WireControlReply {
        guard let reply = try self.reply(to: request, on: self.connect(in: runtime)) else {
            throw WireError(malformed: "no reply")
        }
        return reply
    }
}
