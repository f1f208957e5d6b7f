package import WhereaboutsVocabulary

/// One connection to the server, from its first byte to its end, with timeouts for slow clients.
///
/// ```
///  handshaking ── handshakeCompleted ──▶ waiting ── headReceived ──▶ reading ── requestReceived ──▶ answering
///                                           ▲                          ▲                              │ │
///                                           │                          └────── headReceived ──────────┘ │
///                                           └─────────────────────── replied ───────────────────────────┘
/// ```
///
/// A reply has no deadline here: it ends at once, or it is an event stream, which ends with its request (``EventStreams``). Ignored
/// races: an early deadline, a reply after the end.
package struct ConnectionLife: Sendable, Hashable {
    /// How long the TLS handshake may take.
    ///
    /// Source: our choice; three round trips of the slowest network that carries a request in time.
    package static let handshakeMax: Duration = .seconds(10)
    /// How long a connection waits for the whole head of a request, the first one or a further one.
    ///
    /// Source: our choice; clients reuse a connection for the next request of an exchange, and open a new one for the next exchange.
    package static let idleMax: Duration = .seconds(30)
    /// How long the body of a request may take; it has at most 4,096 bytes.
    ///
    /// Source: our choice; 4 kbit/s.
    package static let bodyMax: Duration = .seconds(10)

    /// The state in the diagram above; `unanswered` counts requests that were read and not answered, minus replies that
    /// were sent before their requests were complete.
    package enum State: Sendable, Hashable {
        /// The TLS handshake is in progress.
        case handshaking(until: EngineInstant)
        /// Waiting for the head of a request.
        case waiting(until: EngineInstant)
        /// Waiting for the body of a request.
        case reading(until: EngineInstant, unanswered: Int)
        /// The server is about to reply.
        case answering(unanswered: Int)
        /// The server ended the connection.
        case ended
    }

    package private(set) var state: State

    /// Starts with an accepted connection.
    package init(now: EngineInstant) {
        self.state = .handshaking(until: now.advanced(by: Self.handshakeMax))
    }

    /// When to call ``deadlineReached(now:)``, or nil while nothing depends on time.
    package var deadline: EngineInstant? {
        switch self.state {
        case .handshaking(let until), .waiting(let until), .reading(let until, _): until
        case .answering, .ended: nil
        }
    }

    /// Records the end of the TLS handshake.
    package mutating func handshakeCompleted(now: EngineInstant) {
        guard case .handshaking = self.state else { return }
        self.state = .waiting(until: now.advanced(by: Self.idleMax))
    }

    /// Records the whole head of a request.
    package mutating func headReceived(now: EngineInstant) {
        switch self.state {
        case .handshaking, .waiting: self.state = .reading(until: now.advanced(by: Self.bodyMax), unanswered: 0)
        case .answering(let unanswered):
            self.state = .reading(until: now.advanced(by: Self.bodyMax), unanswered: unanswered)
        case .reading, .ended: break
        }
    }

    /// Records the end of a request's body.
    package mutating func requestReceived(now: EngineInstant) {
        guard case .reading(_, let unanswered) = self.state else { return }
        self.state =
            unanswered < 0
            ? .waiting(until: now.advanced(by: Self.idleMax)) : .answering(unanswered: unanswered + 1)
    }

    /// Records the end of a reply, which may come before the end of its request.
    package mutating func replied(now: EngineInstant) {
        switch self.state {
        case .answering(1): self.state = .waiting(until: now.advanced(by: Self.idleMax))
        case .answering(let unanswered): self.state = .answering(unanswered: unanswered - 1)
        case .reading(let until, let unanswered): self.state = .reading(until: until, unanswered: unanswered - 1)
        case .handshaking, .waiting, .ended: break
        }
    }

    /// Actions returned by ``deadlineReached(now:)``.
    package enum OnDeadline: Sendable, Hashable {
        case close
        /// Nothing: it is too early.
        case ignore
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    package mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        guard let deadline = self.deadline, now >= deadline else { return .ignore }
        self.state = .ended
        return .close
    }
}
