internal import DequeModule
public import WhereaboutsAPNS
public import WhereaboutsVocabulary

/// Decides for a provider with one key: which connection sends a push, how many connections there are, and which push is sent again.
///
/// The cycle: a push waits until a connection has room. The first connection with room sends it, so that later connections
/// become idle and can be closed when the load drops. The answer, the end of the stream or the push's deadline ends the push.
/// After each input, waiting pushes are assigned; if there is no room, and none is expected soon, a connection is opened.
///
/// **A push is sent again** only if the server certainly did not process it: its stream was refused, or is above the last
/// stream of a GOAWAY, or the answer concerns the connection (a stale provider token, the end of the server). If the connection
/// is lost before the answer, this is unknown, and the caller receives an error, because a duplicate would cost the device's
/// budget. No push is sent more than ``sendsMax`` times.
///
/// Every push ends: with its answer, at its deadline, or after ``failuresMax`` failed attempts to connect.
///
/// Ignored, because they race with the network or the host's timer: responses to abandoned pushes, events of a closed
/// connection, early deadlines.
public struct PushPool: Sendable {
    /// Facts the host reports.
    public enum Input: Sendable, Hashable {
        /// Send a push; `ticket` is the host's unique number for the push.
        case submitted(ticket: UInt64, deadline: EngineInstant)
        /// The caller of a push no longer waits.
        case cancelled(ticket: UInt64)
        /// The server's SETTINGS arrived; `streamsMax` is nil if they do not limit streams.
        case settingsReceived(connection: Int, streamsMax: Int?)
        case heard(connection: Int)
        case answered(connection: Int, stream: Int32, PushVerdict)
        /// A stream ended without an answer; `isRefused`: the server certainly did not process it.
        case streamEnded(connection: Int, stream: Int32, isRefused: Bool)
        /// The server accepts no streams above `lastStream`, and no new ones.
        case goAwayReceived(connection: Int, lastStream: Int32, Reason?)
        /// A connection could not be opened, or has ended.
        case connectionEnded(connection: Int)
        /// The ``PushPool/deadline`` was reached.
        case deadlineReached
        /// No more pushes will be submitted; those in progress end as usual.
        case shutdownBegan
    }

    /// The end of a push.
    public enum Outcome: Sendable, Hashable {
        /// The server's answer.
        case answered(PushVerdict)
        /// The connection or the stream ended before the answer; the push may have been accepted.
        case lost
        /// The deadline was reached; if the push was sent, it may have been accepted.
        case timedOut(wasSent: Bool)
        /// No connection could be opened; nothing was sent.
        case unreachable
        /// The server refused the push each time; it was not accepted.
        case refused
        /// The caller cancelled the push; if it was sent, it may have been accepted.
        case cancelled(wasSent: Bool)
        /// The limit of pushes in progress is reached; nothing was sent.
        case full
        /// The pool was shut down; nothing was sent.
        case shutDown
    }

    /// A command to the host; effects are performed in order.
    public enum Effect: Sendable, Hashable {
        /// Make the provider token with this number and the present time; use it for all following pushes.
        case makeToken(Int)
        /// Open a connection: resolve the host name, and report the server's SETTINGS.
        case connect(connection: Int)
        case send(ticket: UInt64, connection: Int, stream: Int32)
        /// Reset a stream whose response is not needed any more.
        case reset(connection: Int, stream: Int32)
        case ping(connection: Int)
        /// Close a connection, or stop opening it; report its end.
        case close(connection: Int)
        case finish(ticket: UInt64, Outcome)
        /// Everything ended after ``PushPool/Input/shutdownBegan``.
        case ended
        /// A decision, for logs and metrics.
        case note(Note)
    }

    /// A decision for logs and metrics.
    public enum Note: Sendable, Hashable {
        case connected
        /// A connection could not be opened, or ended before the server accepted a provider token; the next attempt
        /// follows after at least this time.
        case failed(retryAfter: Duration)
        /// The server ends a connection, for this reason.
        case goAway(Reason?)
        /// A connection answered no ping.
        case silent
        /// A push is sent again.
        case sentAgain
        /// The server considers the provider token stale.
        case tokenExpired
    }

    /// The maximum number of connections, not counting connections that are ending.
    public static let connectionsMax = 4
    /// How often a push is sent at most.
    public static let sendsMax = 5
    /// The failed attempts to connect after which a waiting push ends.
    public static let failuresMax = 3
    /// The minimum time between opening additional connections: Apple treats rapid connecting as an attack.
    static let growthInterval = Duration.seconds(1)
    /// The shortest and the longest wait after a failed attempt.
    static let (retryShortest, retryLongest) = (Duration.milliseconds(100), Duration.seconds(30))

    struct Push: Sendable {
        /// Whether the push waits, or the stream on which it was sent.
        enum Place: Sendable {
            case waiting
            case sent(connection: Int, stream: Int32, at: EngineInstant)
        }

        let deadline: EngineInstant
        /// The number of failed connection attempts before the push was submitted.
        let failuresBefore: Int
        var place = Place.waiting
        var sends = 0
    }

    private let pushesMax: Int
    var pushes: [UInt64: Push] = [:]
    /// Waiting pushes, including some that ended meanwhile.
    private var waiting: Deque<UInt64> = []
    private var waitingCount = 0
    /// The deadlines of pushes, in order, including some pushes that ended meanwhile.
    private var deadlines: Deque<(at: EngineInstant, ticket: UInt64)> = []
    var connections: [PoolConnection] = []
    var tokens = TokenRotation()
    private var connectionsCount = 0
    /// The number of failed attempts to connect since the start.
    var failures = 0
    private var backoff = Backoff(from: Self.retryShortest, to: Self.retryLongest)
    private var random: SeededGenerator
    /// When a first connection may be opened, and when an additional one.
    private var (retryAt, growthAt): (EngineInstant?, EngineInstant?) = (nil, nil)
    private var isShuttingDown = false
    private var hasEnded = false
    var effects: [Effect] = []

    /// Creates a pool without connections; the first push opens one.
    ///
    /// - Parameters:
    ///   - pushesMax: the maximum number of pushes in progress.
    ///   - seed: the seed of the random waits between attempts, so that many providers do not reconnect together.
    public init(pushesMax: Int, seed: UInt64) {
        self.pushesMax = pushesMax
        self.random = SeededGenerator(seed: seed)
    }

    /// The connections that are open, or being opened.
    public var connectionsOpen: Int { self.connections.count }

    /// When ``Input/deadlineReached`` must be fed; nil when no timer runs.
    public var deadline: EngineInstant? {
        var due = self.deadlines.first?.at
        for index in self.connections.indices {
            due.lower(to: self.connections[index].deadline(isSurplus: self.isSurplus(index)))
        }
        if self.wantsConnection { due.lower(to: self.connectableAt) }
        return due
    }

    /// Handles an input.
    public mutating func handle(_ input: Input, now: Now) -> [Effect] {
        let instant = now.monotonic
        switch input {
        case .submitted(let ticket, let deadline): self.submitted(ticket, deadline: deadline)
        case .cancelled(let ticket): self.giveUp(ticket) { .cancelled(wasSent: $0) }
        case .settingsReceived(let id, let streamsMax): self.settingsReceived(id, streamsMax, instant)
        case .heard(let id): self.withConnection(id) { $0.connections[$1].heard(now: instant) }
        case .answered(let id, let stream, let verdict): self.answered(id, stream, verdict, now)
        case .streamEnded(let id, let stream, let isRefused): self.streamEnded(id, stream, isRefused, instant)
        case .goAwayReceived(let id, let last, let reason): self.goAwayReceived(id, last, reason, now)
        case .connectionEnded(let id): self.connectionEnded(id, instant)
        case .deadlineReached: self.deadlineReached(instant)
        case .shutdownBegan: self.isShuttingDown = true
        }
        self.giveOut(now)
        if self.isShuttingDown, self.pushes.isEmpty { self.closeAll() }
        defer { self.effects = [] }
        return self.effects
    }

    // MARK: Pushes.

    private mutating func submitted(_ ticket: UInt64, deadline: EngineInstant) {
        guard !self.isShuttingDown else { return self.effects.append(.finish(ticket: ticket, .shutDown)) }
        guard self.pushes.count < self.pushesMax else { return self.effects.append(.finish(ticket: ticket, .full)) }
        self.pushes[ticket] = Push(deadline: deadline, failuresBefore: self.failures)
        self.waiting.append(ticket)
        self.waitingCount += 1
        // Nearly all pushes have the same timeout, so search the position from the end.
        let place = self.deadlines.lastIndex { $0.at <= deadline }.map { $0 + 1 } ?? 0
        self.deadlines.insert((deadline, ticket), at: place)
        self.forgetEnded()
    }

    /// Ends a push for the caller.
    mutating func finish(_ ticket: UInt64, _ outcome: Outcome) {
        guard let push = self.pushes.removeValue(forKey: ticket) else { return }
        if case .waiting = push.place { self.waitingCount -= 1 }
        self.effects.append(.finish(ticket: ticket, outcome))
        while let first = self.deadlines.first, self.pushes[first.ticket] == nil { self.deadlines.removeFirst() }
    }

    /// Ends a push that has no answer yet.
    private mutating func giveUp(_ ticket: UInt64, _ outcome: (_ wasSent: Bool) -> Outcome) {
        switch self.pushes[ticket]?.place {
        case nil: return
        case .waiting: self.finish(ticket, outcome(false))
        case .sent(let id, let stream, _):
            self.withConnection(id) { pool, index in
                pool.connections[index].pushGivenUp(stream)
                pool.effects.append(.reset(connection: id, stream: stream))
                pool.closeIfDone(index)
            }
            self.finish(ticket, outcome(true))
        }
    }

    /// Sends a push again, before all waiting pushes, or ends it if it was sent ``sendsMax`` times.
    mutating func sendAgain(_ ticket: UInt64, else outcome: Outcome) {
        guard let sends = self.pushes[ticket]?.sends else { return }
        guard sends < Self.sendsMax else { return self.finish(ticket, outcome) }
        self.pushes[ticket]?.place = .waiting
        self.waiting.prepend(ticket)
        self.waitingCount += 1
        self.effects.append(.note(.sentAgain))
    }

    /// Removes ended pushes from the queues, before they outnumber the others.
    private mutating func forgetEnded() {
        if self.waiting.count > 2 * self.waitingCount + 64 {
            self.waiting.removeAll { if case .waiting? = self.pushes[$0]?.place { false } else { true } }
        }
        if self.deadlines.count > 2 * self.pushes.count + 64 {
            self.deadlines.removeAll { self.pushes[$0.ticket] == nil }
        }
    }

    private mutating func giveOut(_ now: Now) {
        while self.waitingCount > 0, let index = self.indexWithRoom(now) {
            guard let ticket = self.waiting.popFirst() else { break }
            guard case .waiting? = self.pushes[ticket]?.place else { continue }
            self.waitingCount -= 1
            let instant = now.monotonic
            let connection = self.connections[index].id
            let stream = self.connections[index].pushSent(ticket, now: instant)
            self.pushes[ticket]?.place = .sent(connection: connection, stream: stream, at: instant)
            self.pushes[ticket]?.sends += 1
            self.effects.append(.send(ticket: ticket, connection: connection, stream: stream))
        }
        let instant = now.monotonic
        guard self.wantsConnection, self.connectableAt.map({ $0 <= instant }) ?? true else { return }
        self.connectionsCount += 1
        self.growthAt = instant.advanced(by: Self.growthInterval)
        self.connections.append(PoolConnection(id: self.connectionsCount, now: instant))
        self.effects.append(.connect(connection: self.connectionsCount))
    }

    /// Returns the first connection that can send a push now; pings connections that may be dead.
    private mutating func indexWithRoom(_ now: Now) -> Int? {
        for index in self.connections.indices where self.connections[index].hasRoom(now: now.monotonic) {
            switch self.connections[index].pushOffered(now: now.monotonic) {
            case .wait: continue
            case .ping: self.effects.append(.ping(connection: self.connections[index].id))
            case .take:
                switch self.tokens.tokenNeeded(now: now.wall) {
                case .keep: break
                case .make: self.effects.append(.makeToken(self.tokens.number))
                }
                guard self.tokens.mayFollow(self.connections[index].token, now: now.monotonic) else {
                    self.retire(index)
                    continue
                }
                if self.connections[index].token?.number != self.tokens.number {
                    self.connections[index].token = .init(number: self.tokens.number, since: now.monotonic)
                }
                return index
            }
        }
        return nil
    }

    // MARK: The number of connections.

    /// Whether pushes wait and no connection is being opened for them.
    private var wantsConnection: Bool {
        guard self.waitingCount > 0 else { return false }
        var usable = 0
        for connection in self.connections {
            switch (connection.state, connection.pulse) {
            case (.opening, _), (.open, .asked): return false
            case (.open, .since):
                guard connection.isFull else { return false }
                usable += 1
            case (.leaving, _), (.closing, _): break
            }
        }
        return usable < Self.connectionsMax
    }

    /// When a connection may be opened; nil if at once.
    private var connectableAt: EngineInstant? {
        self.connections.contains { $0.state == .open } ? self.growthAt : self.retryAt
    }

    /// Whether an earlier connection is open, so that this one is not needed for few pushes.
    func isSurplus(_ index: Int) -> Bool {
        self.connections[..<index].contains { $0.state == .open }
    }

    /// Records a failed attempt to connect.
    mutating func attemptFailed(_ now: EngineInstant) {
        self.failures += 1
        let wait = self.backoff.next(using: &self.random)
        self.retryAt = now.advanced(by: wait)
        self.effects.append(.note(.failed(retryAfter: wait)))
        guard !self.connections.contains(where: { $0.state == .open }) else { return }
        for ticket in self.waiting {
            guard let push = self.pushes[ticket], case .waiting = push.place else { continue }
            if self.failures - push.failuresBefore >= Self.failuresMax { self.finish(ticket, .unreachable) }
        }
    }

    /// Records a successful attempt: the server accepted the provider token.
    mutating func attemptSucceeded() {
        self.backoff.reset()
        self.retryAt = nil
    }

    // MARK: Time.

    private mutating func deadlineReached(_ now: EngineInstant) {
        while let first = self.deadlines.first, first.at <= now {
            self.deadlines.removeFirst()
            self.doubt(first.ticket, now)
            self.giveUp(first.ticket) { .timedOut(wasSent: $0) }
        }
        for index in self.connections.indices {
            switch self.connections[index].deadlineReached(isSurplus: self.isSurplus(index), now: now) {
            case .ignore: break
            case .ping: self.effects.append(.ping(connection: self.connections[index].id))
            case .dismiss: self.close(index, isWantedNoMore: true)
            case .giveUp:
                if self.connections[index].state == .open { self.effects.append(.note(.silent)) }
                self.close(index)
            }
        }
    }

    /// Pings the connection of a late push, unless data arrived on it since the push was sent.
    private mutating func doubt(_ ticket: UInt64, _ now: EngineInstant) {
        guard case .sent(let id, _, let sentAt)? = self.pushes[ticket]?.place else { return }
        self.withConnection(id) { pool, index in
            guard case .since(let instant) = pool.connections[index].pulse, instant <= sentAt else { return }
            pool.connections[index].doubted(now: now)
            pool.effects.append(.ping(connection: id))
        }
    }

    private mutating func closeAll() {
        for index in self.connections.indices where self.connections[index].state != .closing {
            self.close(index, isWantedNoMore: true)
        }
        guard self.connections.isEmpty, !self.hasEnded else { return }
        self.hasEnded = true
        self.effects.append(.ended)
    }
}
