internal import Foundation
internal import Glibc
internal import Rig
internal import SwiftProtobuf
internal import WhereaboutsCLinux
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// Sends pushes at locationd's control socket, as locationctl does, and reads the probe extension's output.
struct Probe {
    typealias Request = WireControlRequest
    typealias Reply = WireControlReply

    /// Milliseconds since the push was sent.
    struct Times {
        var begun = 0.0
        var payload = 0.0
        var fix = 0.0
    }

    let runtime: String
    private let pipe: FileHandle

    init(_ installation: Installation) throws {
        self.runtime = "\(installation.workspace.directory)/run"
        let container = "\(installation.workspace.directory)/state/containers/\(Installation.bundle)"
        let path = "\(container)/probe.log"
        _ = FileManager.default.createFile(atPath: "\(container)/measure", contents: nil)
        // A pipe in place of the file: reading from it waits for the extension, without polling.
        guard unsafe mkfifo(path, 0o600) == 0, let pipe = FileHandle(forUpdatingAtPath: path) else {
            throw RigError("the probe", "cannot make a pipe at \(path)")
        }
        self.pipe = pipe
    }

    static func ask(_ runtime: String, _ request: Request) throws -> Reply {
        let socket = try PacketSocket.connect(to: SocketPaths.control(in: runtime))
        _ = try socket.send(try WireMessage.encode(request))
        guard case .packet(let packet, _) = try socket.waitForPacket(milliseconds: 20_000) else {
            throw RigError("locationd", "it did not answer")
        }
        let reply = try WireMessage.decode(Reply.self, from: packet)
        if case .failure(let failure) = reply.body { throw RigError("locationd", failure.message) }
        return reply
    }

    /// Sends a push and waits until the extension has completed it.
    func push(_ what: String) throws -> Times {
        let begin = clinux_boottime()
        _ = try Self.ask(
            self.runtime,
            .with {
                $0.push.bundle = Installation.bundle
                $0.push.payload = Data(#"{"do": "\#(what)"}"#.utf8)
                $0.push.priority = 10
            }
        )
        var times = Times()
        var text = ""
        while times.fix == 0 {
            text += String(decoding: self.pipe.availableData, as: UTF8.self)
            while let end = text.firstIndex(of: "\n") {
                let words = text[..<end].split(separator: " ")
                text.removeSubrange(...end)
                guard words.count == 3, let instant = Int64(words[1]) else { continue }
                let time = Double(instant - begin) / 1e6
                switch words[0] {
                case "begun": times.begun = time
                case "received": times.payload = time
                default: times.fix = time
                }
            }
        }
        try self.wait { !$0.extensionRunning }
        return times
    }

    func waitUntilTheReceiverIsOff() throws {
        let end = clinux_boottime() + 60_000_000_000
        while try Self.ask(self.runtime, .with { $0.status = .init() }).status.sourceState != "off" {
            guard clinux_boottime() < end else { throw RigError("the receiver", "it did not turn off in 60 s") }
            _ = poll(nil, 0, 100)
        }
    }

    private func wait(until isTrue: (WireAppStatus) -> Bool) throws {
        let end = clinux_boottime() + 10_000_000_000
        while true {
            let apps = try Self.ask(self.runtime, .with { $0.status = .init() }).status.apps
            if let app = apps.first(where: { $0.bundle == Installation.bundle }), isTrue(app) { return }
            guard clinux_boottime() < end else { throw RigError("the extension", "it did not end in 10 s") }
            _ = poll(nil, 0, 2)
        }
    }
}
