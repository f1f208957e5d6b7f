/// A rate limit: a burst, and one more after each interval.
///
/// The leaky bucket in its form of one instant (generic cell rate algorithm, ITU-T I.371).
package struct GCRA: Sendable, Hashable {
    package let burst: Int
    /// The time after which one more is allowed.
    package let interval: Duration
    /// When the full burst is available again; nil: nothing was used.
    private var wholeAt: EngineInstant?

    /// Creates an unused limit.
    package init(burst: Int, every interval: Duration) {
        precondition(
            burst > 0 && interval > .zero,
            "an allowance lets something through, got \(burst) every \(interval)"
        )
        self.burst = burst
        self.interval = interval
    }

    /// Uses one, if the limit allows it.
    ///
    /// - Returns: whether there was.
    package mutating func take(now: EngineInstant) -> Bool {
        let wholeAt = max(self.wholeAt ?? now, now).advanced(by: self.interval)
        guard now.duration(to: wholeAt) <= self.interval * self.burst else { return false }
        self.wholeAt = wholeAt
        return true
    }

    /// Returns one that was used.
    package mutating func putBack() { self.wholeAt = self.wholeAt?.advanced(by: .zero - self.interval) }

    /// Returns whether the full burst is available again, so that this limit need not be stored.
    package func isWhole(now: EngineInstant) -> Bool {
        self.wholeAt.map { $0 <= now } ?? true
    }
}
