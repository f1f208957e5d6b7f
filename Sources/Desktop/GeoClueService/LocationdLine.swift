internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsVocabulary

/// A connection to one of locationd's sockets; when it ends, it is made again after a pause that grows from 250 ms to 5 s.
final class LocationdLine {
    /// An event of the connection.
    enum News {
        case packet([UInt8])
        /// The connection ended, and its earlier messages are no longer valid.
        case lost
    }

    let path: String
    private let greeting: [UInt8]
    private let refusal: ([UInt8]) -> String?
    private var socket: PacketSocket?
    private var isHeard = false
    /// The pauses between attempts to reach locationd.
    ///
    /// Source: our choice; a restart of locationd takes less than a second, and an attempt every 5 s costs little.
    private var backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
    private var retry: EngineInstant

    /// Creates the object and connects, if locationd can be reached.
    ///
    /// - Parameters:
    ///   - path: the path of locationd's socket.
    ///   - greeting: the first message on each connection.
    ///   - now: the present time.
    ///   - refusal: returns the reason, if the first packet of a connection is a refusal.
    /// - Throws: ``WireError`` if the greeting does not fit into a packet.
    init(
        _ path: String,
        saying greeting: some Message,
        now: EngineInstant,
        refusal: @escaping ([UInt8]) -> String?
    ) throws(WireError) {
        self.path = path
        self.greeting = try WireMessage.encode(greeting)
        self.refusal = refusal
        self.retry = now
        self.connect(now)
    }

    /// The descriptor; -1, which poll(2) ignores, while there is no connection.
    var descriptor: Int32 { self.socket?.descriptor ?? -1 }
    /// The state of the connection, for the log.
    enum State: Hashable {
        /// locationd answered.
        case served
        /// locationd refused this program.
        case refused(String)
        /// locationd cannot be reached.
        case away
    }

    /// The state; nil: the answer to the greeting has not arrived.
    var state: State? {
        self.isHeard ? .served : self.reason.map { .refused($0) } ?? (self.socket == nil ? .away : nil)
    }
    /// The reason of the last refusal; nil: the last connection was not refused.
    private var reason: String?
    var deadline: EngineInstant? { self.socket == nil ? self.retry : nil }

    private func connect(_ now: EngineInstant) {
        guard let socket = try? PacketSocket.connect(to: self.path) else {
            self.reason = nil
            return self.lose(now)
        }
        socket.setNonblocking()
        self.socket = socket
        if (try? socket.send(self.greeting)) != .sent { self.lose(now) }
    }

    private func lose(_ now: EngineInstant) {
        self.socket = nil
        self.isHeard = false
        self.retry = now.advanced(by: self.backoff.next())
    }

    /// Connects again if the pause is over.
    func deadlineReached(_ now: EngineInstant) {
        if self.socket == nil, now >= self.retry { self.connect(now) }
    }

    /// Reads at most 32 packets, so that other clients do not wait.
    func receive(_ now: EngineInstant) -> [News] {
        var news: [News] = []
        for _ in 0..<32 {
            guard let socket = self.socket else { break }
            switch try? socket.receive() {
            case .packet(let packet, _):
                if !self.isHeard {
                    self.reason = self.refusal(packet)
                    if self.reason != nil {
                        self.lose(now)
                        return news
                    }
                    self.backoff.reset()
                }
                self.isHeard = true
                news.append(.packet(packet))
            case .empty: return news
            case .closed, nil:
                if self.isHeard { news.append(.lost) }
                self.lose(now)
            }
        }
        return news
    }

    /// Sends a message; without a connection, the message is lost.
    func send(_ message: some Message) {
        guard let packet = try? WireMessage.encode(message) else { return }
        _ = try? self.socket?.send(packet)
    }
}
