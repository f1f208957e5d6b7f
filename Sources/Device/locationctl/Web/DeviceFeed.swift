internal import Foundation
internal import Glibc
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsConsole
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// The events for one open page: each fix, and each change of the JSON that `status`, `settings`, `pushes`, `power`, `log`
/// and `agent` print.
final class DeviceFeed: ConsoleFeed {
    /// How often to query locationd.
    ///
    /// locationd sends prompts, indicators and fixes without a query.
    private static let period = Duration.seconds(1)
    /// The number of log lines to query: all that locationd puts into a reply.
    ///
    /// The page searches them for the last position that each app was given, and lists the newest ones.
    private static let lines: UInt32 = 250

    private struct Connections {
        let control: PacketSocket
        let agent: PacketSocket
        let recorder: PacketSocket?
    }

    private struct State {
        /// The connections; nil while locationd cannot be reached.
        var connections: Connections?
        /// The last JSON that was sent for each query.
        var sent: [String: String] = [:]
        var nextQuestion = ContinuousClock.now
    }

    private let runtime: String?
    private let showsPosition: Bool
    private let state = Mutex(State())

    /// Creates the events of a page.
    ///
    /// - Parameters:
    ///   - runtime: the directory of locationd's sockets.
    ///   - showsPosition: whether this page switches the receiver on to show positions.
    init(runtime: String?, showsPosition: Bool) {
        self.runtime = runtime
        self.showsPosition = showsPosition
    }

    func next() async -> [ConsoleEvent] {
        (try? await DeviceSite.outsideThePool { self.state.withLock { self.news(&$0) } }) ?? []
    }

    private func news(_ state: inout State) -> [ConsoleEvent] {
        do {
            return try self.answers(&state)
        } catch {
            let words =
                error is Refused || error is WireError
                ? "\(error)" : "locationd sent an unreadable reply. Install the same version of both programs."
            let isNew = state.sent != ["away": words]
            state.connections = nil
            state.sent = ["away": words]
            // Try again after a second, which a restart of locationd takes.
            _ = poll(nil, 0, 1000)
            guard isNew, let data = try? JSONEncoder().encode(["error": words]) else { return [] }
            return [ConsoleEvent("away", String(decoding: data, as: UTF8.self))]
        }
    }

    private func answers(_ state: inout State) throws -> [ConsoleEvent] {
        let daemon = DaemonOptions(in: self.runtime)
        if state.connections == nil { state.sent = [:] }
        let connections = try state.connections ?? self.connect(daemon)
        state.connections = connections
        var events = try self.reported(connections, until: state.nextQuestion)
        guard ContinuousClock.now >= state.nextQuestion else { return events }
        state.nextQuestion = ContinuousClock.now + Self.period
        for (name, request) in Self.questions {
            guard let data = try Self.answer(to: request, connections.control, daemon), state.sent[name] != data else {
                continue
            }
            state.sent[name] = data
            events.append(ConsoleEvent(name, data))
        }
        return events
    }

    private func connect(_ daemon: DaemonOptions) throws -> Connections {
        let control = try daemon.connect(.with { $0.status = .init() }).socket
        let recorder = self.showsPosition ? try daemon.connect(.with { $0.record = .init() }).socket : nil
        return Connections(control: control, agent: try daemon.connectAgent(), recorder: recorder)
    }

    /// Waits for prompts, indicators and fixes.
    private func reported(_ connections: Connections, until deadline: ContinuousClock.Instant) throws -> [ConsoleEvent]
    {
        var waiting = [
            pollfd(fd: connections.agent.descriptor, events: Int16(POLLIN), revents: 0),
            // `poll` skips negative descriptors.
            pollfd(fd: connections.recorder?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
        _ = unsafe poll(&waiting, 2, Int32(max(0, min(left, 1000))))
        var events: [ConsoleEvent] = []
        if waiting[0].revents != 0, let packet = try Self.packet(of: connections.agent) {
            events.append(ConsoleEvent("agent", try WireMessage.decode(AgentEvent.self, from: packet).jsonString()))
        }
        if waiting[1].revents != 0, let recorder = connections.recorder, let packet = try Self.packet(of: recorder) {
            let reply = try WireMessage.decode(WireControlReply.self, from: packet)
            if case .fix(let fix) = reply.recorded.body { events.append(ConsoleEvent("fix", try fix.json)) }
        }
        return events
    }

    private static func packet(of socket: PacketSocket) throws -> [UInt8]? {
        switch try socket.receive() {
        case .packet(let packet, _): return packet
        case .empty: return nil
        case .closed: throw Refused("locationd has ended. The page continues when it is back.")
        }
    }

    private static let questions: [(name: String, request: WireControlRequest)] = [
        ("status", .with { $0.status = .init() }),
        ("settings", .with { $0.settings = .init() }),
        ("pushes", .with { $0.pushes = .init() }),
        ("power", .with { $0.power = .init() }),
        ("log", .with { $0.log = .with { $0.last = DeviceFeed.lines } }),
    ]

    /// Sends a query, and returns the JSON that the corresponding command prints.
    private static func answer(
        to request: WireControlRequest,
        _ socket: PacketSocket,
        _ daemon: DaemonOptions
    ) throws -> String? {
        _ = try socket.send(try WireMessage.encode(request))
        guard let reply = try daemon.next(on: socket, within: 10_000) else {
            throw Refused("locationd did not answer within 10 s. The page tries again.")
        }
        switch reply.body {
        case .status(let status): return try status.json
        case .settings(let settings): return try settings.json
        case .pushes(let pushes): return try pushes.json
        case .power(let power): return try power.json
        case .log(let log): return try log.json
        default: return nil
        }
    }
}
