/// That many at once, and one more after each interval: a bound on what one party may do in time.
///
/// The leaky bucket in its form of one instant (generic cell rate algorithm, ITU-T I.371).
package struct GCRA: Sendable, Hashable {
    package let burst: Int
    /// The time after which one more may be taken.
    package let interval: Duration
    /// When all that was taken has come back; nil: nothing was.
    private var wholeAt: EngineInstant?

    /// Creates an allowance of which nothing was taken.
    package init(burst: Int, every interval: Duration) {
        precondition(
            burst > 0 && interval > .zero,
            "an allowance lets something through, got \(burst) every \(interval)"
        )
        self.burst = burst
        self.interval = interval
    }

    /// Takes one, if there is one.
    ///
    /// - Returns: whether there was.
    package mutating func take(now: EngineInstant) -> Bool {
        let wholeAt = max(self.wholeAt ?? now, now).advanced(by: self.interval)
        guard now.duration(to: wholeAt) <= self.interval * self.burst else { return false }
        self.wholeAt = wholeAt
        return true
    }

    /// Puts one back that was taken.
    package mutating func putBack() { self.wholeAt = self.wholeAt?.advanced(by: .zero - self.interval) }

    /// Returns whether all that was taken has come back, so that this allowance is worth no memory.
    package func isWhole(now: EngineInstant) -> Bool {
        self.wholeAt.map { $0 <= now } ?? true
    }
}
