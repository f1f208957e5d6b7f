internal import WhereaboutsVocabulary

/// Schedules when the device looks where it is, and rests in between with the receiver off.
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
    /// Whether the device looks where it is.
    enum State: Sendable, Hashable {
        /// No client needs it.
        case idle
        /// The receiver is on; it pauses when nothing arrived by then.
        case looking(until: EngineInstant)
        /// The receiver may be off until then.
        case resting(until: EngineInstant)
    }

    private(set) var state = State.idle
    /// How long a look without a result lasts.
    private let patience: Duration
    /// How long the device rests after that.
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

    /// Records that no look is needed until then.
    mutating func rest(until instant: EngineInstant) { self.state = .resting(until: instant) }

    /// Records that no look is needed.
    mutating func end() { self.state = .idle }

    /// Records that the host's timer fired; legal at any time.
    mutating func deadlineReached(now: EngineInstant) {
        switch self.state {
        case .looking(let until) where now >= until: self.rest(until: now.advanced(by: self.pause))
        case .resting(let until) where now >= until: self.begin(now: now)
        case .idle, .looking, .resting: break
        }
    }
}
