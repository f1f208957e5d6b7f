public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Decides how long a provider's connection lasts, and which of its requests are accepted.
///
/// ```
///   ┌─────────┐ TLS  ┌──────────┐ good token  ┌───────┐ silent for long,   ┌─────────┐ ping is back,  ┌────────┐ all answered  ┌────────┐
///   │ shaking │ ───▶ │ stranger │ ──────────▶ │ known │ ─────────────────▶ │ leaving │ or too late    │ ending │ ────────────▶ │ closed │
///   └─────────┘      └──────────┘             └───────┘ gateway stops      └─────────┘ ─────────────▶ └────────┘ or too late   └────────┘
///         │               │                                                     ▲                         ▲                         ▲
///         │               └───── no good token in time ─────────────────────────┘   a rule was broken ────┘                         │
///         └──────────────────── no TLS in time ─────────────────────────────────────────────────────────────────────────────────────┘
/// ```
///
/// The end has two steps (RFC 9113, 6.8). In `leaving`, the provider was sent a first GOAWAY, and requests that it sent before it
/// received the GOAWAY are accepted. After the provider has returned a ping, no such request can be in transit, and a second GOAWAY
/// names the last accepted request. Requests up to that one are answered, and later ones are ignored.
///
/// Ignored, because they race with the network or the host's timer: a second end, early deadlines, requests that begin
/// or end after the connection was closed, the return of a ping in a state other than `leaving`.
public struct ProviderConnection: Sendable, Hashable {
    /// Where the connection is in the diagram above.
    enum State: Sendable, Hashable {
        /// The TLS handshake is in progress; the connection is closed at `until`.
        case shaking(until: EngineInstant)
        /// No valid provider token was presented yet; the connection ends at `until`.
        case stranger(until: EngineInstant)
        /// A valid provider token was presented.
        case known
        /// The provider was sent GOAWAY with a reason; requests are accepted until the ping returns, or until `until`.
        case leaving(Reason, until: EngineInstant)
        /// The provider received the number of the last accepted request.
        ///
        /// Requests that are unanswered at `until` get no answer; at a relay, they get the answer for a silent Apple.
        case ending(until: EngineInstant)
        /// Nothing more is sent or accepted.
        case closed
    }

    /// How long TLS may take: many round trips of a slow network.
    public static let handshakeTimeout = Duration.seconds(10)
    /// How long a connection may last without a valid provider token, so that strangers cannot use up all connections.
    public static let strangerTimeout = Duration.seconds(60)
    /// How long a connection may be silent; Apple advises providers to ping after an hour.
    public static let silenceMax = Duration.seconds(2 * 3600)
    /// How long a provider may take to return the ping after GOAWAY: a round trip of a slow network.
    public static let leavingTimeout = Duration.seconds(1)
    /// How long requests in progress may take after the second GOAWAY.
    ///
    /// Source: our choice; a push takes milliseconds, and a service manager waits much longer before it kills a process (systemd: 90 s).
    public static let endingTimeout = Duration.seconds(5)
    /// The concurrent requests of a provider without a valid token, as at APNs.
    public static let strangerStreamsMax = 1
    /// The concurrent requests of a provider that is known; APNs named 1000 in traces of 2021.
    public static let streamsMax = 1000

    private(set) var state: State
    private var tokens: ProviderTokens
    private var requestsUnderWay = 0
    private let isStrict: Bool
    /// Whether the last answer was a rejection, so that only one stream is allowed.
    private var isNarrowed = false

    /// Creates the machine of a connection that was accepted now.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - isStrict: whether to imitate observed behaviour of APNs that only helps in tests: after a rejection only one stream is
    ///     allowed, and after a stale token every other token is rejected.
    public init(now: EngineInstant, isStrict: Bool = false) {
        self.state = .shaking(until: now.advanced(by: Self.handshakeTimeout))
        self.tokens = ProviderTokens(isStrict: isStrict)
        self.isStrict = isStrict
    }

    /// Whether the TLS handshake is in progress.
    public var isShaking: Bool { if case .shaking = self.state { true } else { false } }

    /// Whether a valid provider token was presented, and the connection is not ending.
    public var isKnown: Bool { self.state == .known }

    /// Records the end of the TLS handshake.
    public mutating func handshakeEnded(now: EngineInstant) {
        guard case .shaking = self.state else { return }
        self.state = .stranger(until: now.advanced(by: Self.strangerTimeout))
    }

    /// When ``deadlineReached(now:)`` must be called; nil when no timer runs.
    public var deadline: EngineInstant? {
        switch self.state {
        case .shaking(let until), .stranger(let until), .leaving(_, let until), .ending(let until): until
        case .known, .closed: nil
        }
    }

    // MARK: Requests

    /// Whether new requests are accepted: not after the second GOAWAY, and not after a broken rule.
    public var takesRequests: Bool {
        switch self.state {
        case .shaking, .stranger, .known, .leaving: true
        case .ending, .closed: false
        }
    }

    /// Records that the headers of a request arrived.
    ///
    /// - Parameters:
    ///   - evidence: the host's finding about the request's provider token.
    ///   - now: the time, for provider tokens.
    /// - Returns: the apps that the provider may push to; read its body next.
    /// - Throws: the rejection to answer with; ignore the rest of the request.
    public mutating func requestBegan(
        _ evidence: ProviderTokenEvidence,
        now: WallTime
    ) throws(Rejection) -> TopicScope {
        self.requestsUnderWay += 1
        switch self.tokens.tokenPresented(evidence, now: now) {
        case .reject(let reason): throw Rejection(reason)
        case .accept(let scope):
            switch self.state {
            case .shaking, .stranger: self.state = .known
            case .known, .leaving, .ending, .closed: break
            }
            return scope
        }
    }

    /// Actions returned by ``requestAnswered(isAccepted:)``.
    public enum OnRequestAnswered: Sendable, Hashable {
        case ignore
        /// Announce another limit of concurrent requests.
        case limitStreams(Int)
    }

    /// Records that a request was answered.
    public mutating func requestAnswered(isAccepted: Bool) -> OnRequestAnswered {
        guard self.isStrict, self.state == .known, self.isNarrowed == isAccepted else { return .ignore }
        self.isNarrowed = !isAccepted
        return .limitStreams(isAccepted ? Self.streamsMax : Self.strangerStreamsMax)
    }

    /// Actions returned by ``requestEnded()``.
    public enum OnRequestEnded: Sendable, Hashable {
        /// The connection continues, or is already closed.
        case ignore
        /// Close the connection: the last request was answered.
        case close
    }

    /// Records that a request was answered, or cancelled.
    public mutating func requestEnded() -> OnRequestEnded {
        self.requestsUnderWay -= 1
        guard case .ending = self.state, self.requestsUnderWay == 0 else { return .ignore }
        self.state = .closed
        return .close
    }

    // MARK: The end

    /// Actions returned by ``endDecided(_:now:)``.
    public enum OnEnd: Sendable, Hashable {
        /// The connection is already ending or closed.
        case ignore
        /// Send GOAWAY with this reason, and a ping.
        case announce(Reason)
        /// Close the connection without a message: the provider is gone.
        case close
    }

    /// Records the decision to end the connection: it was silent for too long, or the gateway stops.
    public mutating func endDecided(_ reason: Reason, now: EngineInstant) -> OnEnd {
        switch self.state {
        case .shaking:
            self.state = .closed
            return .close
        case .stranger, .known:
            self.state = .leaving(reason, until: now.advanced(by: Self.leavingTimeout))
            return .announce(reason)
        case .leaving, .ending, .closed: return .ignore
        }
    }

    /// Records that the provider broke a rule and was notified; complete requests are still answered.
    public mutating func ruleBroken(now: EngineInstant) {
        switch self.state {
        case .shaking, .stranger, .known, .leaving: self.beginEnding(now: now)
        case .ending, .closed: break
        }
    }

    /// Actions returned by ``pingReturned(now:)``.
    public enum OnPing: Sendable, Hashable {
        /// The connection is not ending.
        case ignore
        /// Name the last accepted request, with this reason.
        case nameLast(Reason)
    }

    /// Records that the provider answered one of our pings.
    public mutating func pingReturned(now: EngineInstant) -> OnPing {
        guard case .leaving(let reason, _) = self.state else { return .ignore }
        self.beginEnding(now: now)
        return .nameLast(reason)
    }

    private mutating func beginEnding(now: EngineInstant) {
        let isBusy = self.requestsUnderWay > 0
        self.state = .ending(until: isBusy ? now.advanced(by: Self.endingTimeout) : now)
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        case ignore
        /// Send GOAWAY with this reason, and a ping.
        case announce(Reason)
        /// Name the last accepted request, with this reason.
        case nameLast(Reason)
        case close
    }

    /// Records that the ``deadline`` may have come.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        guard let deadline = self.deadline, deadline <= now else { return .ignore }
        switch self.state {
        // Before TLS there is no provider to notify.
        case .shaking, .ending:
            self.state = .closed
            return .close
        case .stranger:
            self.state = .leaving(.idleTimeout, until: now.advanced(by: Self.leavingTimeout))
            return .announce(.idleTimeout)
        case .leaving(let reason, _):
            self.beginEnding(now: now)
            return .nameLast(reason)
        case .known, .closed: return .ignore
        }
    }
}
