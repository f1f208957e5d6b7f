/// A rate limit: a burst of events, then one more event after each interval.
///
/// This is the leaky bucket that stores a single instant (generic cell rate algorithm, ITU-T I.371).
package struct GCRA: Sendable, Hashable {
    package let burst: Int
    /// The time after which one more event is allowed.
    package let interval: Duration
    /// When the full burst is available again; nil: no event was counted.
    private var wholeAt: EngineInstant?

    /// Creates an unused limit.
    package init(burst: Int, every interval: Duration) {
        precondition(
            burst > 0 && interval > .zero,
            "a rate limit must allow at least 1 event and have an interval above 0, got \(burst) every \(interval)"
        )
        self.burst = burst
        self.interval = interval
    }

    /// Counts an event, if the limit allows it.
    ///
    /// - Returns: whether the event is allowed.
    package mutating func take(now: EngineInstant) -> Bool {
        let wholeAt = max(self.wholeAt ?? now, now).advanced(by: self.interval)
        guard now.duration(to: wholeAt) <= self.interval * self.burst else { return false }
        self.wholeAt = wholeAt
        return true
    }

    /// Takes back an event that was counted.
    package mutating func putBack() { self.wholeAt = self.wholeAt?.advanced(by: .zero - self.interval) }

    /// Returns whether the full burst is available again, so that this limit need not be stored.
    package func isWhole(now: EngineInstant) -> Bool {
        self.wholeAt.map { $0 <= now } ?? true
    }
}
