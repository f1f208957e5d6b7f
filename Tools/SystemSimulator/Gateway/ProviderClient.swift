internal import DequeModule
internal import OrderedCollections
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A provider's connections to a push service: the real pool, above a model of HTTP/2.
///
/// A connection belongs to one life of the service. A request that the network loses gets no answer, which the pool detects by a ping
/// or by the push's deadline.
final class ProviderClient {
    /// A connection, as the service knows it.
    final class Connection {
        var service: ProviderConnection
        fileprivate let life: UInt64

        fileprivate init(_ service: Node) {
            self.service = ProviderConnection(now: service.monotonic)
            self.life = service.life
        }
    }

    /// The service's part of a request that arrived with a provider token of this time; it answers once, or dies before.
    typealias Arrival = (_ issuedAt: WallTime, Connection, _ answer: @escaping (Rejection?) -> Void) throws -> Void

    private struct Call {
        let arrive: Arrival
        let ended: (PushPool.Outcome) throws -> Void
    }

    private unowned let owner: Node
    private let service: Node
    private var pool: PushPool
    private var calls: OrderedDictionary<UInt64, Call> = [:]
    private var connections: OrderedDictionary<Int, Connection> = [:]
    private var issuedAt = WallTime(seconds: 0)
    private var tickets: UInt64 = 0
    private var inputs: Deque<PushPool.Input> = []
    private var isFeeding = false
    private lazy var alarm = Alarm(self.owner) { [unowned self] in try self.feed(.deadlineReached) }

    /// Creates a client without connections, for one life of its owner.
    init(of owner: Node, to service: Node) {
        self.owner = owner
        self.service = service
        let seed = owner.world.scenario.seed ^ owner.id.number << 32 ^ owner.life
        self.pool = PushPool(pushesMax: 10_000, seed: seed)
    }

    /// Sends a push; `ended` receives its end once, if the owner lives that long.
    func send(
        timeout: Duration,
        arrive: @escaping Arrival,
        ended: @escaping (PushPool.Outcome) throws -> Void
    ) throws {
        self.tickets += 1
        self.calls[self.tickets] = Call(arrive: arrive, ended: ended)
        try self.feed(.submitted(ticket: self.tickets, deadline: self.owner.monotonic.advanced(by: timeout)))
    }

    private func feed(_ input: PushPool.Input) throws {
        self.inputs.append(input)
        guard !self.isFeeding else { return }
        self.isFeeding = true
        defer { self.isFeeding = false }
        while let input = self.inputs.popFirst() {
            for effect in self.pool.handle(input, now: self.owner.clocks) { try self.perform(effect) }
        }
        self.alarm.follow(self.pool.deadline)
    }

    private func perform(_ effect: PushPool.Effect) throws {
        switch effect {
        case .makeToken: self.issuedAt = WallTime(seconds: self.owner.clocks.wall.seconds)
        case .connect(let id): self.connect(id)
        case .send(let ticket, let id, let stream): self.request(ticket, id, stream)
        case .ping(let id):
            self.exchange(id, { $1(()) }) { client, _ in try client.feed(.heard(connection: id)) }
        case .close(let id):
            self.connections[id] = nil
            try self.feed(.connectionEnded(connection: id))
        case .finish(let ticket, let outcome): try self.calls.removeValue(forKey: ticket)?.ended(outcome)
        case .reset, .ended: break
        case .note(let note):
            switch note {
            case .sentAgain: self.owner.world.census.add("a push is sent once more")
            case .tokenExpired: self.owner.world.census.add("a valid provider token is rejected as expired")
            case .connected, .failed, .goAway, .silent: break
            }
        }
    }

    private func connect(_ id: Int) {
        let service = self.service
        self.call({ answer in answer(Connection(service)) }) { client, result in
            switch result {
            case .success(let connection):
                client.connections[id] = connection
                try client.feed(.settingsReceived(connection: id, streamsMax: nil))
            case .failure: try client.feed(.connectionEnded(connection: id))
            }
        }
    }

    private func request(_ ticket: UInt64, _ id: Int, _ stream: Int32) {
        guard let arrive = self.calls[ticket]?.arrive else { return }
        let issuedAt = self.issuedAt
        self.exchange(id, { try arrive(issuedAt, $0, $1) }) { client, rejection in
            let verdict: PushVerdict =
                if let rejection {
                    .rejected(rejection.reason, timestamp: rejection.timestamp?.milliseconds, relay: rejection.relay)
                } else {
                    .accepted(.init())
                }
            try client.feed(.answered(connection: id, stream: stream, verdict))
        }
    }

    /// Sends something on a connection.
    ///
    /// If the service that accepted it died, the connection ends.
    private func exchange<Reply>(
        _ id: Int,
        _ handle: @escaping (Connection, @escaping (Reply) -> Void) throws -> Void,
        then: @escaping (ProviderClient, Reply) throws -> Void
    ) {
        guard let connection = self.connections[id] else { return }
        let service = self.service
        self.call({ (answer: @escaping (Reply?) -> Void) in
            guard connection.life == service.life else { return answer(nil) }
            try handle(connection) { answer($0) }
        }) { client, result in
            switch result {
            case .success(let reply?): try then(client, reply)
            case .success(nil), .failure(.refused):
                client.connections[id] = nil
                try client.feed(.connectionEnded(connection: id))
            // The pool sets its own deadlines.
            case .failure(.timeout): break
            }
        }
    }

    private func call<Reply>(
        _ handle: @escaping (@escaping (Reply) -> Void) throws -> Void,
        then: @escaping (ProviderClient, Result<Reply, NetworkError>) throws -> Void
    ) {
        // Longer than anything that the pool waits for.
        let timeout = Duration.seconds(20)
        let life = self.owner.life
        self.owner.world.exchange(from: self.owner.id, to: self.service, timeout: timeout, handle: handle) {
            [weak self] (result: Result<Reply, NetworkError>) in
            guard let self, self.owner.life == life else { return }
            self.owner.perform { try then(self, result) }
        }
    }
}
