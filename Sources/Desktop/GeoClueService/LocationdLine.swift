internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsVocabulary

/// A connection with one of locationd's sockets that is made again when it ends, after a wait that grows from 250 ms to 5 s.
final class LocationdLine {
    /// An event of the connection.
    enum News {
        case packet([UInt8])
        /// The connection is gone, and its earlier messages no longer hold.
        case lost
    }

    let path: String
    private let greeting: [UInt8]
    private let refusal: ([UInt8]) -> String?
    private var socket: PacketSocket?
    private var isHeard = false
    /// The pauses between attempts to reach locationd.
    ///
    /// Source: our choice; locationd is back within a second of a restart, and one that was stopped costs a look every 5 s.
    private var backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
    private var retry: EngineInstant

    /// Makes a connection.
    ///
    /// - Parameters:
    ///   - path: the path of locationd's socket.
    ///   - greeting: sent first on each connection.
    ///   - now: the time.
    ///   - refusal: returns the reason if the first packet of a connection says that locationd does not serve this program.
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

    /// -1, which poll(2) ignores, while there is no connection.
    var descriptor: Int32 { self.socket?.descriptor ?? -1 }
    /// The state of the connection, for the log.
    enum State: Hashable {
        /// locationd answered.
        case served
        /// locationd does not serve this program.
        case refused(String)
        /// locationd does not answer.
        case away
    }

    /// The state; nil: the answer to the greeting has not arrived.
    var state: State? {
        self.isHeard ? .served : self.reason.map { .refused($0) } ?? (self.socket == nil ? .away : nil)
    }
    /// The reason of the last refusal; nil: the last answered connection was accepted, or there was none.
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

    /// Connects again when it is time.
    func deadlineReached(_ now: EngineInstant) {
        if self.socket == nil, now >= self.retry { self.connect(now) }
    }

    /// Reads at most 32 packets, so that other clients do not wait long.
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

    /// Sends a message; lost when locationd is away, which the end of the connection shows.
    func send(_ message: some Message) {
        guard let packet = try? WireMessage.encode(message) else { return }
        _ = try? self.socket?.send(packet)
    }
}
