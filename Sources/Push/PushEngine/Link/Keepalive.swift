internal import WhereaboutsVocabulary

/// The pings of a device on one open link: they keep its path through routers open, and detect its loss.
struct Keepalive: Sendable, Hashable {
    /// Whether a ping waits for its answer.
    private enum State: Sendable, Hashable {
        /// A message arrived since the last ping.
        case heard
        /// No message arrived since the last ping; the path counts as lost at that instant.
        case asking(until: EngineInstant)
    }

    /// The intervals that a gateway may set; others are clamped.
    ///
    /// Intervals below a second would be a flood. Those above ten minutes keep no connection open, because home routers
    /// forget it earlier (``GatewaySide/Configuration/keepalive``).
    static let intervals = Duration.seconds(1)...Duration.seconds(600)

    /// The longest wait for an answer: a slow mobile path takes some seconds.
    static let patienceMax = Duration.seconds(10)

    private let interval: Duration
    private var state: State = .heard
    private var pingAt: EngineInstant
    private var number: UInt64 = 0

    /// Creates the pings of a link that opened now.
    init(every interval: Duration, now: EngineInstant) {
        self.interval = min(max(interval, Self.intervals.lowerBound), Self.intervals.upperBound)
        self.pingAt = now.advanced(by: self.interval)
    }

    private var patience: Duration { min(self.interval, Self.patienceMax) }

    /// When to send the next ping, or the deadline of the last answer.
    var deadline: EngineInstant {
        switch self.state {
        case .heard: self.pingAt
        case .asking(let until): min(until, self.pingAt)
        }
    }

    /// Records a message from the gateway, which shows that the path works.
    mutating func heard() {
        self.state = .heard
    }

    /// Actions returned by ``deadlineReached(now:)``.
    enum OnDeadline: Sendable, Hashable {
        case ignore
        /// Send a ping of this number.
        case ping(UInt64)
        /// The gateway did not answer within this time: give up the connection.
        case giveUp(after: Duration)
    }

    /// Records that a deadline may have come.
    mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        if case .asking(let until) = self.state, until <= now { return .giveUp(after: self.patience) }
        guard self.pingAt <= now else { return .ignore }
        self.pingAt = now.advanced(by: self.interval)
        self.number += 1
        if case .heard = self.state { self.state = .asking(until: now.advanced(by: self.patience)) }
        return .ping(self.number)
    }
}
