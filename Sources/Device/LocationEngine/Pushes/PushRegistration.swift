public import WhereaboutsVocabulary

/// Whether an app monitors location pushes, and the clients that wait for its token.
///
/// ```
///        requested                 tokenReceived
///   off ──────────▶ registering ─────────────────▶ registered(token)
///    ▲                    │ stopped                      │ stopped
///    └────────────────────┴──────────────────────────────┘
/// ```
/// A client that waits longer than ``Policy/pushRegistrationPatience`` receives a failure; the registration continues.
public struct PushRegistration: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// The app does not monitor pushes.
        case off
        /// The gateway was asked for the token.
        case registering
        /// The gateway issued this token.
        case registered([UInt8])
    }

    /// A client that waits for the token.
    public struct Waiter: Sendable, Hashable {
        /// The client that requested the token.
        public var client: ClientID
        /// The client's number for the request.
        public var request: UInt64
        /// The deadline; a client without a token by then receives a failure.
        var until: EngineInstant
    }

    private(set) var state: State
    /// The maximum number of requests that wait at a time; an app needs one, and a further one fails at once.
    static let waitersMax = 64

    /// The clients that wait, oldest first; at most ``waitersMax``.
    private var waiters: [Waiter] = []

    /// Creates the registration of an app that never requested a token, or that monitored pushes before the host restarted.
    public init(monitoring: Bool = false) {
        self.state = monitoring ? .registering : .off
    }

    /// Whether the app monitors location pushes.
    public var isMonitoring: Bool { self.state != .off }

    /// Whether a client waits for the token.
    public var hasWaiters: Bool { !self.waiters.isEmpty }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? { self.waiters.map(\.until).min() }

    /// Actions returned by ``requested(by:request:until:)``.
    public enum OnRequested: Sendable, Hashable {
        case register
        case answer([UInt8])
        /// Do nothing: the gateway was already asked.
        case wait
        /// Report a failure: too many requests wait.
        case refuse
    }

    /// Records that a client asked for the token.
    public mutating func requested(by client: ClientID, request: UInt64, until: EngineInstant) -> OnRequested {
        switch self.state {
        case .registered(let token):
            return .answer(token)
        case .off:
            self.state = .registering
            self.waiters.append(Waiter(client: client, request: request, until: until))
            return .register
        case .registering:
            guard self.waiters.count < Self.waitersMax else { return .refuse }
            self.waiters.append(Waiter(client: client, request: request, until: until))
            return .wait
        }
    }

    /// Records the token; ignored when the app stopped monitoring meanwhile.
    ///
    /// - Returns: the clients that wait for the token.
    public mutating func tokenReceived(_ token: [UInt8]) -> [Waiter] {
        guard self.isMonitoring else { return [] }
        self.state = .registered(token)
        defer { self.waiters = [] }
        return self.waiters
    }

    /// Records that the token is not available now; the registration continues.
    ///
    /// - Returns: the clients that must receive a failure.
    public mutating func failed() -> [Waiter] {
        defer { self.waiters = [] }
        return self.waiters
    }

    /// Actions returned by ``stopped()``.
    public enum OnStopped: Sendable, Hashable {
        /// Unregister the token, and report a failure to these clients.
        case unregister(failing: [Waiter])
        case ignore
    }

    /// Records that the app stopped monitoring.
    public mutating func stopped() -> OnStopped {
        guard self.isMonitoring else { return .ignore }
        self.state = .off
        defer { self.waiters = [] }
        return .unregister(failing: self.waiters)
    }

    /// Records that a client is gone.
    public mutating func vanished(_ client: ClientID) {
        self.waiters.removeAll { $0.client == client }
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    ///
    /// - Returns: the clients that must receive a failure.
    public mutating func deadlineReached(now: EngineInstant) -> [Waiter] {
        let late = self.waiters.filter { now >= $0.until }
        self.waiters.removeAll { now >= $0.until }
        return late
    }
}
