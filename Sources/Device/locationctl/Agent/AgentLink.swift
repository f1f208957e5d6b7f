internal import Glibc
internal import SwiftProtobuf
internal import WhereaboutsCLinux
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// A connection to locationd's agent socket; one thread reads from it and from standard input.
///
/// When locationd ends, the link connects again, after pauses that double from 250 ms to 5 s. After a refusal it does
/// not, because locationd would refuse it again.
final class AgentLink {
    /// An event from locationd, or of the connection to it.
    enum News {
        case event(AgentEvent)
        /// locationd refused this agent; this is the last event.
        case refused(AgentEvent)
        /// The connection ended, and earlier events are no longer valid.
        case disconnected
        /// The connection exists again; locationd sends everything again.
        case connected
    }

    private let path: String
    private let hello: AgentRequest
    /// The connection; nil: locationd cannot be reached.
    private var socket: PacketSocket?
    /// Whether locationd has sent anything on this connection.
    private var isHeard = false
    private var wasHeard = false
    /// The pauses between attempts to reach locationd.
    ///
    /// Source: our choice; a restart of locationd takes less than a second, and an attempt every 5 s costs little.
    private var backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
    /// When the next attempt is made, in nanoseconds since the boot.
    private var nextAttempt: Int64 = 0
    /// Whether the last attempt failed with EACCES.
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
        // A hanging locationd must not block this process.
        socket.setNonblocking()
        self.socket = socket
        _ = self.send(self.hello)
    }

    /// Sends a request to locationd; false when there is no connection, or locationd does not read.
    func send(_ request: AgentRequest) -> Bool {
        guard let socket = self.socket, let packet = try? WireMessage.encode(request),
            packet.count <= PacketSocket.packetBytesMax
        else { return false }
        return (try? socket.send(packet)) == .sent
    }

    /// Handles events and input lines until standard input ends or `line` returns false.
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

    /// How long `poll` may wait, in milliseconds; -1: without limit.
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
                    "locationd closed the connection to \(self.path); it accepts at most 64 agents, only from its own user and root"
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
        // The last line may lack its line feed.
        if let rest = input.end() { _ = try line(rest) }
        return false
    }
}
