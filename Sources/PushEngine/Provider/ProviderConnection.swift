public import APNS
public import Vocabulary

/// Decides the life of one connection of a provider: how long it lasts, and whether its requests are taken.
///
/// ```
///   ┌─────────┐ TLS  ┌──────────┐ good token  ┌───────┐ silent for long,   ┌────────┐ all answered  ┌────────┐
///   │ shaking │ ───▶ │ stranger │ ──────────▶ │ known │ ─────────────────▶ │ ending │ ────────────▶ │ closed │
///   └─────────┘      └──────────┘             └───────┘ gateway stops      └────────┘ or too late   └────────┘
///         │               │                                                  ▲                         ▲
///         │               └───── no good token in time ──────────────────────┘                         │
///         └──────────────────── no TLS in time ────────────────────────────────────────────────────────┘
/// ```
///
/// Ignored, because they race with the network or the host's timer: a second end, deadlines before their time, requests
/// that begin or end after it was closed.
public struct ProviderConnection: Sendable, Hashable {
    /// Where the connection is in the diagram above.
    enum State: Sendable, Hashable {
        /// TLS is under way; it is closed at `until`.
        case shaking(until: EngineInstant)
        /// No good provider token was presented yet; it ends at `until`.
        case stranger(until: EngineInstant)
        /// A good provider token was presented.
        case known
        /// The provider was told to go; a request that is not answered at `until` gets no answer.
        case ending(until: EngineInstant)
        /// Nothing is sent or taken any more.
        case closed
    }

    /// How long TLS may take: many round trips of a slow network.
    public static let handshakeTimeout = Duration.seconds(10)
    /// How long a connection may last without a good provider token, so that strangers cannot hold all of them.
    public static let strangerTimeout = Duration.seconds(60)
    /// How long a connection may be silent; Apple advises providers to ping after an hour.
    public static let silenceMax = Duration.seconds(2 * 3600)
    /// How long requests under way may go on once the connection is to end.
    public static let endingTimeout = Duration.seconds(5)

    private(set) var state: State
    private var tokens = ProviderTokens()
    private var requestsUnderWay = 0

    /// Creates the machine of a connection that was accepted now.
    public init(now: EngineInstant) {
        self.state = .shaking(until: now.advanced(by: Self.handshakeTimeout))
    }

    /// Whether a good provider token was presented.
    public var isKnown: Bool { self.state == .known }

    /// Records that TLS is up.
    public mutating func handshakeEnded(now: EngineInstant) {
        guard case .shaking = self.state else { return }
        self.state = .stranger(until: now.advanced(by: Self.strangerTimeout))
    }

    /// When ``deadlineReached(now:)`` is to be called; nil when nothing is due.
    public var deadline: EngineInstant? {
        switch self.state {
        case .shaking(let until), .stranger(let until), .ending(let until): until
        case .known, .closed: nil
        }
    }

    // MARK: Requests

    /// Records that a request began to come.
    public mutating func requestBegan() {
        self.requestsUnderWay += 1
    }

    /// Checks a request that came whole.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - evidence: the host's finding about its provider token.
    ///   - now: the time, for tokens and expirations.
    /// - Returns: the push, well formed, of a provider who is known.
    /// - Throws: the rejection to answer with.
    public mutating func requestReceived(
        _ request: PushRequest,
        _ evidence: ProviderTokenEvidence,
        now: WallTime
    ) throws(Rejection) -> ValidPush {
        let provider = self.tokens.tokenPresented(evidence, now: now)
        if case .accept = provider {
            switch self.state {
            case .shaking, .stranger: self.state = .known
            case .known, .ending, .closed: break
            }
        }
        let push = try request.validated(provider: provider, now: now)
        switch self.state {
        case .shaking, .stranger, .known: return push
        case .ending, .closed: throw Rejection(.shutdown)
        }
    }

    /// Actions returned by ``requestEnded()``.
    public enum OnRequestEnded: Sendable, Hashable {
        /// The connection goes on, or is closed already.
        case ignore
        /// Close the connection: the last request was answered.
        case close
    }

    /// Records that a request was answered, or given up.
    public mutating func requestEnded() -> OnRequestEnded {
        self.requestsUnderWay -= 1
        guard case .ending = self.state, self.requestsUnderWay == 0 else { return .ignore }
        self.state = .closed
        return .close
    }

    // MARK: The end

    /// Actions returned by ``endDecided(now:)``.
    public enum OnEnd: Sendable, Hashable {
        /// It is ending, or closed, already.
        case ignore
        /// Tell the provider to go; requests under way are answered.
        case goAway
    }

    /// Records that the connection is to end: it was silent for too long, or the gateway stops.
    public mutating func endDecided(now: EngineInstant) -> OnEnd {
        switch self.state {
        case .shaking, .stranger, .known:
            let isBusy = self.requestsUnderWay > 0
            self.state = .ending(until: isBusy ? now.advanced(by: Self.endingTimeout) : now)
            return .goAway
        case .ending, .closed: return .ignore
        }
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// Nothing is due yet.
        case ignore
        /// Tell the provider to go, for this reason.
        case goAway(Reason)
        /// Close the connection.
        case close
    }

    /// Records that the ``deadline`` may have come.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        guard let deadline = self.deadline, deadline <= now else { return .ignore }
        switch self.state {
        // Before TLS nobody is there to be told.
        case .shaking:
            self.state = .closed
            return .close
        case .stranger:
            _ = self.endDecided(now: now)
            return .goAway(.idleTimeout)
        case .ending:
            self.state = .closed
            return .close
        case .known, .closed: return .ignore
        }
    }
}
