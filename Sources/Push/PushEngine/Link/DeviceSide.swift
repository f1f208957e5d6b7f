internal import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Decides the device's side of its link to the gateway: one connection for all apps.
///
/// ```
///          started               challenge              welcome
///  ┌──────┐ ────▶ ┌────────────┐ ────────▶ ┌─────────┐ ───────▶ ┌──────┐ ──┐ ping, pong, requests,
///  │ idle │       │ connecting │           │ proving │          │ open │   │ pushes
///  └──────┘       └────────────┘           └─────────┘          └──────┘ ◀─┘
///                   ▲        │ ended, late      │ ended, late       │ ended, no pong
///         its time  │        ▼                  ▼                   ▼
///                   │      ┌───────────────────────────────────────────┐
///                   └───── │                  waiting                  │      stopped, from anywhere: stopped
///                          └───────────────────────────────────────────┘
/// ```
///
/// It is declarative: it stores which topics need tokens and which topics' pushes may be delivered, announces both on every
/// connection, and sends changes on an open link. The waits between attempts grow, with jitter. Only a link that lasted
/// longer than the longest wait resets them; otherwise the device would reconnect without a pause to a gateway that closes
/// each link after its welcome. For ten seconds after a good link, no wait is longer than two seconds, because the gateway
/// probably restarts; the same holds for the next two links, however short, because operators restart several times in a
/// row. The wire format: `docs/protocol/push-link.md`.
///
/// Ignored, because they race with the network or the host's timer: messages and the end of an abandoned connection,
/// early deadlines, a second start, a second welcome. Acknowledgements without a link are dropped: the gateway delivers
/// the push again, with the same ID.
public struct DeviceSide: Sendable, Hashable {
    /// Where the link is in the diagram above.
    enum State: Sendable, Hashable {
        /// The owner has not asked for the link yet.
        case idle
        /// TCP and TLS are in progress, or the gateway's challenge has not arrived; given up at `until`.
        case connecting(until: EngineInstant)
        /// The proof was sent, or is being signed; given up at `until`.
        case proving(until: EngineInstant)
        /// The gateway's welcome arrived at `since`.
        case open(since: EngineInstant, Keepalive)
        /// There is no connection; the next attempt begins at `until`.
        case waiting(until: EngineInstant)
        /// The owner ended the link permanently.
        case stopped
    }

    /// The longest wait while the gateway probably restarts.
    ///
    /// Source: our choice; a person who requests a position waits for this.
    private static let restartWaitMax: Duration = .seconds(2)
    /// How long the gateway is assumed to be restarting after the loss of a good link.
    ///
    /// Source: our choice; a gateway stops within 2 s and starts within 1 s, or within 5 s on a slow disk.
    private static let restartTime: Duration = .seconds(10)

    /// How many links in a row are assumed to end by a restart: a good one and those after it.
    ///
    /// Source: our choice; an operator corrects a mistake or two, and a gateway that closes each link gets few attempts more.
    private static let restartsMax = 3

    private(set) var state: State = .idle
    private let configuration: Configuration
    private var backoff: Backoff
    /// The waits until ``restartEnd``.
    private var restartBackoff: Backoff
    /// Until when the gateway of the last good link is assumed to restart; nil before the first loss.
    private var restartEnd: EngineInstant?
    /// How many more links may end by a restart.
    private var restartsLeft = 0
    private var wishes = TopicWishes()
    private var topics: [String] = []

    /// Creates a link that does nothing until it is started.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        self.backoff = Backoff(from: configuration.backoffMin, to: configuration.backoffMax)
        self.restartBackoff = Backoff(
            from: configuration.backoffMin,
            to: min(Self.restartWaitMax, configuration.backoffMax)
        )
    }

    /// When ``Input/deadlineReached`` must be fed; nil when no timer runs.
    public var deadline: EngineInstant? {
        switch self.state {
        case .idle, .stopped: nil
        case .connecting(let until), .proving(let until), .waiting(let until): until
        case .open(_, let keepalive): keepalive.deadline
        }
    }

    /// Applies one input.
    ///
    /// - Parameters:
    ///   - input: the fact.
    ///   - now: the time on the clock of ``deadline``.
    ///   - generator: draws the jitter of the waits.
    /// - Returns: the effects, to be carried out in this order.
    public mutating func handle(
        _ input: Input,
        now: EngineInstant,
        using generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch input {
        case .started:
            guard case .idle = self.state else { return [] }
            return self.connect(now)
        case .registrationWanted(let topic):
            return self.wishes.register(topic)
                ? self.say([.register(topic: topic)]) : [.note(.topicsLeftOut(count: 1))]
        case .registrationUnwanted(let topic):
            guard Topic.isTopic(topic) else { return [] }
            self.wishes.unregister(topic)
            return self.say([.unregister(topic: topic)])
        case .topicsEnabled(let topics): return self.enable(topics)
        case .pushSaved(let id): return self.say([.acknowledge(id: id.bytes)])
        case .received(let message): return self.received(message, now, &generator)
        case .connectionEnded(let reason):
            switch self.state {
            case .idle, .waiting, .stopped: return []
            case .connecting, .proving, .open: return self.lose(reason, now, &generator)
            }
        case .deadlineReached: return self.deadlineReached(now, &generator)
        case .stopped:
            let previous = self.state
            self.state = .stopped
            switch previous {
            case .idle, .waiting, .stopped: return []
            case .connecting, .proving, .open: return [.disconnect]
            }
        }
    }

    // MARK: The connection

    private mutating func connect(_ now: EngineInstant) -> [Effect] {
        self.state = .connecting(until: now.advanced(by: self.configuration.handshakeTimeout))
        return [.connect]
    }

    private mutating func deadlineReached(
        _ now: EngineInstant,
        _ generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch self.state {
        case .idle, .stopped: return []
        case .waiting(let until): return now < until ? [] : self.connect(now)
        case .connecting(let until), .proving(let until):
            guard until <= now else { return [] }
            return self.lose("no welcome within \(self.configuration.handshakeTimeout)", now, &generator)
        case .open(let since, var keepalive):
            let action = keepalive.deadlineReached(now: now)
            self.state = .open(since: since, keepalive)
            switch action {
            case .ignore: return []
            // Repeat unanswered requests: a gateway that limits new devices does not answer, and issues tokens later.
            case .ping(let number): return [.send(.ping(number))] + self.say(self.wishes.requests)
            case .giveUp(let patience):
                return self.lose("the gateway did not answer a ping within \(patience)", now, &generator)
            }
        }
    }

    private mutating func lose(
        _ reason: String,
        _ now: EngineInstant,
        _ generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        if case .open(let since, _) = self.state {
            if since.duration(to: now) > self.configuration.backoffMax {
                self.backoff.reset()
                self.restartsLeft = Self.restartsMax
            }
            if self.restartsLeft > 0 {
                self.restartsLeft -= 1
                self.restartBackoff.reset()
                self.restartEnd = now.advanced(by: Self.restartTime)
            }
        }
        let isRestarting = self.restartEnd.map { now < $0 } ?? false
        let wait =
            isRestarting ? self.restartBackoff.next(using: &generator) : self.backoff.next(using: &generator)
        self.state = .waiting(until: now.advanced(by: wait))
        return [.disconnect, .note(.lost(reason: reason, retryAfter: wait)), .tell(.disconnected(reason))]
    }

    // MARK: Messages of the gateway

    private mutating func received(
        _ message: GatewayMessage?,
        _ now: EngineInstant,
        _ generator: inout some RandomNumberGenerator
    ) -> [Effect] {
        if case .open(let since, var keepalive) = self.state {
            keepalive.heard()
            self.state = .open(since: since, keepalive)
        }
        switch (self.state, message) {
        case (.idle, _), (.waiting, _), (.stopped, _), (_, nil): return []
        case (_, .goAway(let reason)): return self.lose("the gateway ended the link: \(reason)", now, &generator)
        case (.connecting(let until), .challenge(let nonce)) where nonce.count == LinkProof.nonceBytesCount:
            self.state = .proving(until: until)
            return [.sign(nonce: nonce)]
        case (_, .challenge): return self.lose("the gateway sent an invalid challenge", now, &generator)
        case (.proving, .welcome(let keepalive)):
            self.state = .open(since: now, Keepalive(every: keepalive, now: now))
            return self.say(self.wishes.connected() + [.enableTopics(self.topics)]) + [.tell(.connected)]
        case (.open, .welcome), (.open, .pong): return []
        case (.open, .registered(let topic, let token)):
            self.wishes.registered(topic)
            return [.tell(.registered(topic: topic, token: token))]
        case (.open, .unregistered(let topic)):
            self.wishes.unregistered(topic)
            return [.tell(.unregistered(topic: topic))]
        case (.open, .push(let push)): return [.tell(.push(push))]
        case (.connecting, _), (.proving, _):
            return self.lose("the gateway continued before the device had proven its key", now, &generator)
        }
    }

    // MARK: Requests to the gateway

    private mutating func enable(_ topics: [String]) -> [Effect] {
        let most = TokenDecision.topicsMax
        let accepted = Array(topics.lazy.filter { Topic.isTopic($0) }.prefix(most))
        let leftOut = topics.count - accepted.count
        let notes: [Effect] = leftOut > 0 ? [.note(.topicsLeftOut(count: leftOut))] : []
        // Do not repeat the same list: the gateway has it already, and every message wakes the radio.
        guard accepted != self.topics else { return notes }
        self.topics = accepted
        return notes + self.say([.enableTopics(accepted)])
    }

    /// Sends requests on an open link; a new link begins with all requests anyway.
    private func say(_ requests: [Gateway.DeviceRequest]) -> [Effect] {
        switch self.state {
        case .open: requests.map { .send(.request($0)) }
        case .idle, .connecting, .proving, .waiting, .stopped: []
        }
    }
}
