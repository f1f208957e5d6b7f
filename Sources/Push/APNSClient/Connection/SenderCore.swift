internal import DequeModule
internal import Logging
internal import NIOCore
internal import WhereaboutsAPNS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The shell of ``PushEngine/PushPool`` for one key or certificate: its connections, its timer, its provider token, and
/// the waiting callers.
///
/// Everything here runs on one event loop, so that nothing needs a lock. Each read, and each delivery of the mailbox, ends with
/// ``settle()``, which flushes the resulting writes, and sets the timer.
final class SenderCore {
    /// A request with a waiting caller.
    struct Call: Sendable {
        let request: PreparedRequest
        let timeout: Duration
        let ended: @Sendable (PushPool.Outcome, ConnectionFailure?) -> Void
    }

    private let configuration: APNSClient.Configuration
    private let dialer: Dialer
    /// Nil for a certificate.
    private let maker: ProviderTokenMaker?
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let metrics: ClientMetrics
    private let now: @Sendable () -> WallTime
    private var pool: PushPool
    private var calls: [UInt64: Call] = [:]
    private var connections: [Int: SenderConnection] = [:]
    /// The value of `authorization`; nil for a certificate.
    private var token: String?
    private var lastFailure: ConnectionFailure?
    private var inputs: Deque<PushPool.Input> = []
    private var isFeeding = false
    private var shutdowns: [EventLoopPromise<Void>] = []
    private lazy var timer = DeadlineTimer(self.eventLoop) { [weak self] in
        self?.feed(.deadlineReached)
        self?.settle()
    }

    init(
        _ configuration: APNSClient.Configuration,
        credential: Credential,
        dialer: Dialer,
        eventLoop: any EventLoop,
        logger: Logger,
        metrics: ClientMetrics,
        now: @escaping @Sendable () -> WallTime
    ) {
        var random = SystemRandomNumberGenerator()
        self.configuration = configuration
        self.dialer = dialer
        self.maker = if case .key(let key) = credential { ProviderTokenMaker(key: key) } else { nil }
        self.eventLoop = eventLoop
        self.logger = logger
        self.metrics = metrics
        self.now = now
        self.pool = PushPool(pushesMax: configuration.inFlightMax, seed: random.next())
    }

    // MARK: Called by the client.

    func submit(_ call: Call, ticket: UInt64) {
        self.calls[ticket] = call
        self.feed(.submitted(ticket: ticket, deadline: EngineInstant.onEventLoop().advanced(by: call.timeout)))
    }

    func shutdown(_ ended: EventLoopPromise<Void>) {
        self.shutdowns.append(ended)
        self.feed(.shutdownBegan)
        self.settle()
    }

    // MARK: Called by connections.

    /// Passes an input to the pool, and performs its effects, one after another because an effect may have an immediate
    /// consequence.
    func feed(_ input: PushPool.Input) {
        self.inputs.append(input)
        guard !self.isFeeding else { return }
        self.isFeeding = true
        while let input = self.inputs.popFirst() {
            let now = Now(monotonic: .onEventLoop(), wall: self.now())
            for effect in self.pool.handle(input, now: now) { self.perform(effect, now) }
        }
        self.isFeeding = false
    }

    func connectionEnded(_ connection: SenderConnection, _ failure: ConnectionFailure) {
        guard self.connections.removeValue(forKey: connection.id) != nil else { return }
        self.lastFailure = failure
        self.feed(.connectionEnded(connection: connection.id))
        self.settle()
    }

    /// Flushes the written frames, and sets the timer.
    func settle() {
        for connection in self.connections.values { connection.flush() }
        self.timer.follow(self.pool.deadline)
    }

    // MARK: Effects.

    private func perform(_ effect: PushPool.Effect, _ now: Now) {
        switch effect {
        case .makeToken:
            guard let maker else { return }
            do {
                self.token = "bearer \(try maker.token(now: now.wall.seconds))"
            } catch {
                // Continue with the previous token: the server rejects it as stale, which is reported to the callers.
                self.logger.error("no provider token can be signed; check the key")
            }
        case .connect(let id): self.connect(id)
        case .send(let ticket, let id, let stream):
            guard let call = self.calls[ticket] else { return }
            self.connections[id]?.send(call.request, token: self.token, stream: stream)
        case .reset(let id, let stream): self.connections[id]?.reset(stream)
        case .ping(let id): self.connections[id]?.ping()
        case .close(let id):
            guard let connection = self.connections[id] else { return }
            // A connection that is not open yet does not report its end.
            if !connection.close() { self.connectionEnded(connection, connection.failure ?? .timedOut) }
        case .finish(let ticket, let outcome):
            self.calls.removeValue(forKey: ticket)?.ended(outcome, self.lastFailure)
        case .ended:
            for promise in self.shutdowns { promise.succeed() }
            self.shutdowns = []
        case .note(let note):
            self.metrics.noted(note)
            self.log(note)
        }
    }

    private func connect(_ id: Int) {
        let connection = SenderConnection(id: id, core: self)
        self.connections[id] = connection
        let dialed = self.dialer.dial(connection, timeout: TimeAmount(self.configuration.timeout))
        dialed.whenFailure { self.connectionEnded(connection, connection.failure ?? ConnectionFailure($0)) }
    }

    private func log(_ note: PushPool.Note) {
        switch note {
        case .connected:
            self.lastFailure = nil
            self.logger.info("connected to the push server")
        case .failed(let wait):
            let words = (self.lastFailure ?? .broken).words(trustRoots: "trust roots")
            self.logger.warning(
                "no connection to the push server: \(words)",
                metadata: ["retry-after": "\(wait.roundedToMilliseconds)"]
            )
        case .goAway(let reason):
            self.logger.info("the push server ends a connection", metadata: ["reason": "\(reason?.rawValue ?? "none")"])
        case .silent: self.logger.warning("a connection to the push server is dead: it answered no ping")
        case .tokenExpired:
            self.logger.warning("the push server considers the provider token stale; check this machine's clock")
        case .sentAgain: self.logger.debug("a push that the server did not process is sent again")
        }
    }
}
