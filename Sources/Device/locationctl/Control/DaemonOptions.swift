internal import ArgumentParser
internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The options of all commands that connect to locationd.
struct DaemonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The directory of locationd's sockets.", valueName: "directory"))
    var runtime: String?

    func validate() throws {
        if self.runtime?.isEmpty == true {
            throw ValidationError("--runtime needs a directory; leave it out for the default")
        }
    }

    typealias Request = WireControlRequest
    typealias Reply = WireControlReply

    /// Sends locationd a request, and waits for the answer, by default at most ten seconds.
    func ask(_ request: Request, within seconds: Int32 = 10) throws -> Reply {
        try self.connect(request, within: seconds).reply
    }

    /// Sends locationd a request on a connection that stays open for further replies.
    func connect(_ request: Request, within seconds: Int32 = 10) throws -> (socket: PacketSocket, reply: Reply) {
        let path = SocketPaths.control(in: self.runtime ?? SocketPaths.directory)
        do {
            let socket = try PacketSocket.connect(to: path)
            // Ignore a failure: if locationd refused the connection at once, its reason can still be read.
            _ = try socket.send(try WireMessage.encode(request))
            guard let reply = try self.next(on: socket, within: seconds * 1000) else {
                throw Refused("locationd at \(path) did not answer within \(seconds) s")
            }
            return (socket, reply)
        } catch let error as WireError {
            throw Self.unreached(error)
        }
    }

    /// The error for a connection that could not be made.
    static func unreached(_ error: WireError) -> Refused {
        error.code == EACCES
            ? Refused(
                "\(error); only locationd's own user, root, and members of the group of its --owners may control it: find the group with "
                    + "`ls -l` of the socket, add the user with `adduser USER GROUP`, and log in again"
            )
            : Refused("\(error); is locationd running? Start it, or name the directory of its sockets with --runtime")
    }

    /// Waits for the next reply on a connection; nil: no reply arrived in time.
    func next(on socket: PacketSocket, within milliseconds: Int32) throws -> Reply? {
        switch try socket.waitForPacket(milliseconds: milliseconds) {
        case .packet(let packet, _):
            let reply = try WireMessage.decode(Reply.self, from: packet)
            if case .failure(let failure) = reply.body { throw Refused(failure.message) }
            return reply
        case .empty: return nil
        case .closed: throw Self.ended(SocketPaths.control(in: self.runtime ?? SocketPaths.directory))
        }
    }

    /// The error for a connection that ended without a reply; locationd sends refused callers a reason.
    private static func ended(_ path: String) -> Refused {
        Refused(
            "locationd at \(path) ended before it answered, or could not read what this locationctl (\(Release.version)) asks; see its "
                + "log, and try again"
        )
    }

    /// Sends locationd an order, and prints its reply.
    func order(_ request: Request, within seconds: Int32 = 10) throws {
        if case .done(let done) = try self.ask(request, within: seconds).body { print(done.message) }
    }
}

/// An error with a text for people, which is printed unchanged.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
