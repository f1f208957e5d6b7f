internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsCLinux
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// A connection to locationd's agent socket, read together with standard input by the one thread there is.
///
/// When locationd ends it is made again: after a pause that doubles from 250 ms to 5 s, until the input ends. A refusal is final: locationd
/// says it in place of all else, and would say it again and again.
final class AgentLink {
    /// An event from locationd, or of the connection to it.
    enum News {
        case event(AgentEvent)
        /// locationd does not serve this agent; this is the last event.
        case refused(AgentEvent)
        /// locationd is gone, and its earlier events no longer hold.
        case disconnected
        /// locationd is back, and sends everything again.
        case connected
    }

    private let path: String
    private let hello: AgentRequest
    /// nil: locationd is away.
    private var socket: PacketSocket?
    /// Whether locationd has sent anything on this connection.
    private var isHeard = false
    private var wasHeard = false
    /// The pauses between attempts to reach locationd.
    ///
    /// Source: our choice; locationd is back within a second of a restart, and one that was stopped costs a look every 5 s.
    private var backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
    /// When the next attempt is made, in nanoseconds since the boot.
    private var nextAttempt: Int64 = 0
    /// Whether the last attempt met EACCES.
    private var wasForbidden = false

    init(path: String, hello: AgentRequest) throws {
        self.path = path
        self.hello = hello
        do {
            try self.connect()
        } catch {
            throw DaemonOptions.unreached(error)
        }
    }

    private func connect() throws(WireError) {
        let socket = try PacketSocket.connect(to: self.path)
        // A locationd that is stopped must not stop this one.
        socket.setNonblocking()
        self.socket = socket
        _ = self.send(self.hello)
    }

    /// Sends a request to locationd; false when it is away, or does not read.
    func send(_ request: AgentRequest) -> Bool {
        guard let socket = self.socket, let packet = try? WireMessage.encode(request),
            packet.count <= PacketSocket.packetBytesMax
        else { return false }
        return (try? socket.send(packet)) == .sent
    }

    /// Serves both until standard input ends or `line` stops it.
    func run(news: (News) throws -> Void, line: (InputLines.Line) throws -> Bool) throws {
        var input = InputLines()
        while true {
            var waiting = [
                // `poll` skips negative descriptors.
                pollfd(fd: self.socket?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
            ]
            if unsafe poll(&waiting, 2, self.patience) < 0 {
                guard errno == EINTR else { throw WireError("cannot wait", code: errno) }
                continue
            }
            if waiting[0].revents != 0 { try self.receive(news) }
            if self.socket == nil, clinux_boottime() >= self.nextAttempt {
                try self.reconnect()
            }
            if waiting[1].revents != 0 {
                guard try self.read(&input, line) else { return }
            }
        }
    }

    private func reconnect() throws(Refused) {
        do throws(WireError) {
            try self.connect()
            self.wasForbidden = false
        } catch {
            // EACCES once may mean that locationd has bound the socket but not yet changed its group. Report it only
            // when it happens twice in a row.
            let isForbidden = error.code == EACCES
            if isForbidden, self.wasForbidden { throw DaemonOptions.unreached(error) }
            self.wasForbidden = isForbidden
            self.lose()
        }
    }

    /// How long to wait for something to happen, in milliseconds.
    private var patience: Int32 {
        guard self.socket == nil else { return -1 }
        return Int32(max(0, self.nextAttempt - clinux_boottime()) / 1_000_000 + 1)
    }

    private func receive(_ news: (News) throws -> Void) throws {
        switch try self.socket?.receive() {
        case .empty, nil: break
        case .closed:
            guard self.wasHeard else {
                throw Refused(
                    "locationd closed the connection to \(self.path); it takes agents of its own user and root, 64 at most"
                )
            }
            let wasHeard = self.isHeard
            self.lose()
            if wasHeard { try news(.disconnected) }
        case .packet(let packet, _):
            let event = try WireMessage.decode(AgentEvent.self, from: packet)
            // A refusal before the list of apps concerns the agent itself.
            if !self.isHeard, case .refusal(let refusal) = event.body {
                try news(.refused(event))
                throw Refused("locationd does not serve this agent: \(PlainText.of(refusal.message))")
            }
            if self.wasHeard, !self.isHeard { try news(.connected) }
            (self.isHeard, self.wasHeard) = (true, true)
            self.backoff.reset()
            try news(.event(event))
        }
    }

    private func lose() {
        self.socket = nil
        self.isHeard = false
        self.nextAttempt = clinux_boottime() + Int64(self.backoff.next() / .nanoseconds(1))
    }

    /// Reads the available bytes of standard input; false at end of file.
    private func read(_ input: inout InputLines, _ line: (InputLines.Line) throws -> Bool) throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(0, &chunk, chunk.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return true }
        for text in input.take(chunk.prefix(max(count, 0))) {
            guard try line(text) else { return false }
        }
        if count > 0 { return true }
        // The last line may lack its end.
        if let rest = input.end() { _ = try line(rest) }
        return false
    }
}
