internal import WhereaboutsVocabulary

/// Schedules when the device requests a position, with the receiver off in between.
///
/// ```
///           begin                    a fix that tells enough
///   idle ──────────▶ looking(until) ─────────────────────────▶ resting(until)
///     ▲                │   ▲   └── deadline: nothing came ──────▲    │
///     │                │   └──────────── begin, deadline ──────────┘
///     └── end, from everywhere
/// ```
/// Ignored races: deadlines early, late or spurious.
struct Looks: Sendable, Hashable {
    /// Whether a position is requested.
    enum State: Sendable, Hashable {
        /// No position is needed.
        case idle
        /// The receiver is on; it rests if no position arrives by then.
        case looking(until: EngineInstant)
        /// The receiver may be off until then.
        case resting(until: EngineInstant)
    }

    private(set) var state = State.idle
    /// How long a request without a result lasts.
    private let patience: Duration
    /// How long the receiver may be off after a request without a result.
    private let pause: Duration

    init(patience: Duration, pause: Duration) {
        self.patience = patience
        self.pause = pause
    }

    /// Whether positions are needed now.
    var needsReceiver: Bool { if case .looking = self.state { true } else { false } }

    /// The instant to call ``deadlineReached(now:)`` at.
    var deadline: EngineInstant? {
        switch self.state {
        case .idle: nil
        case .looking(let until), .resting(let until): until
        }
    }

    /// Records that a position is needed now, or still.
    mutating func begin(now: EngineInstant) { self.state = .looking(until: now.advanced(by: self.patience)) }

    /// Records that no position is needed until then.
    mutating func rest(until instant: EngineInstant) { self.state = .resting(until: instant) }

    /// Records that no position is needed any more.
    mutating func end() { self.state = .idle }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    mutating func deadlineReached(now: EngineInstant) {
        switch self.state {
        case .looking(let until) where now >= until: self.rest(until: now.advanced(by: self.pause))
        case .resting(let until) where now >= until: self.begin(now: now)
        case .idle, .looking, .resting: break
        }
    }
}
