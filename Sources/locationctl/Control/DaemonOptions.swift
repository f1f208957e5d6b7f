internal import ArgumentParser
internal import LocationWire
internal import LocationWireMessages
internal import SwiftProtobuf

/// How a verb reaches locationd.
struct DaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The directory of locationd's sockets.", valueName: "directory"))
    var runtime: String?

    typealias Request = WireControlRequest
    typealias Reply = WireControlReply

    /// Asks locationd, and waits for the answer, ten seconds at most unless it is said to take longer.
    func ask(_ request: Request, within seconds: Int32 = 10) throws -> Reply {
        let path = SocketPaths.control(in: self.runtime ?? SocketPaths.directory)
        do {
            let socket = try PacketSocket.connect(to: path)
            guard case .sent = try socket.send(try WireMessage.encode(request)) else {
                throw Refused("locationd closed the connection to \(path); it takes orders from its own user and root")
            }
            switch try socket.waitForPacket(milliseconds: seconds * 1000) {
            case .packet(let packet, _):
                let reply = try WireMessage.decode(Reply.self, from: packet)
                if case .failure(let failure) = reply.body { throw Refused(failure.message) }
                return reply
            case .empty: throw Refused("locationd at \(path) did not answer within \(seconds) s")
            case .closed:
                throw Refused("locationd closed the connection to \(path); it takes orders from its own user and root")
            }
        } catch let error as WireError {
            throw Refused(
                "\(error); is locationd running? Start it, or name the directory of its sockets with --runtime"
            )
        }
    }

    /// Asks locationd to do something, and prints what it says of it.
    func order(_ request: Request, within seconds: Int32 = 10) throws {
        if case .done(let done) = try self.ask(request, within: seconds).body { print(done.message) }
    }
}

/// A refusal or failure, told as it is.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
