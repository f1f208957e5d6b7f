internal import Foundation
internal import Glibc
internal import LocationWire
internal import LocationWireMessages
internal import SwiftProtobuf

/// A connection to locationd's agent socket, read together with standard input by the one thread there is.
struct AgentLink {
    /// Longer lines are nobody's answer.
    private static let lineBytesMax = 64 * 1024

    private let socket: PacketSocket
    private let path: String

    init(path: String) throws {
        self.path = path
        do {
            self.socket = try PacketSocket.connect(to: path)
        } catch {
            throw Refused(
                "\(error); is locationd running? Start it, or name the directory of its sockets with --runtime"
            )
        }
    }

    func send(_ request: Whereabouts_Agent_V1_AgentRequest) throws {
        let packet = try WireMessage.encode(request)
        guard packet.count <= PacketSocket.packetBytesMax, case .sent = try self.socket.send(packet) else {
            throw self.ended
        }
    }

    private var ended: Refused {
        Refused("locationd closed the connection to \(self.path); it takes agents of its own user and root")
    }

    /// Serves both until standard input ends or `line` says that it is enough.
    func run(
        event: (Whereabouts_Agent_V1_AgentEvent) throws -> Void,
        line: (String) throws -> Bool
    ) throws {
        var input: [UInt8] = []
        while true {
            var waiting = [
                pollfd(fd: self.socket.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
            ]
            if unsafe poll(&waiting, 2, -1) < 0, errno != EINTR { throw WireError("cannot wait", code: errno) }
            if waiting[0].revents != 0 {
                switch try self.socket.receive() {
                case .empty: break
                case .closed: throw self.ended
                case .packet(let packet, _):
                    try event(try WireMessage.decode(Whereabouts_Agent_V1_AgentEvent.self, from: packet))
                }
            }
            if waiting[1].revents != 0 {
                guard try self.read(&input, line) else { return }
            }
        }
    }

    /// Takes what standard input has; false at its end.
    private func read(_ input: inout [UInt8], _ line: (String) throws -> Bool) throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(0, &chunk, chunk.count)
        input += chunk.prefix(max(count, 0))
        while let end = input.firstIndex(of: 0x0A) {
            let text = String(decoding: input[..<end], as: UTF8.self)
            input.removeSubrange(...end)
            guard try line(text) else { return false }
        }
        guard input.count <= Self.lineBytesMax else {
            throw Refused("a line on standard input is longer than \(Self.lineBytesMax) bytes")
        }
        if count > 0 { return true }
        // The last line may lack its end.
        if !input.isEmpty { _ = try line(String(decoding: input, as: UTF8.self)) }
        return false
    }
}
