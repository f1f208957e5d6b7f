public import WhereaboutsVocabulary

/// A rate limit: one use per interval, and a burst after a rest.
///
/// Its only state is a date, which each use moves one interval ahead. A use is refused while the date is too far in the
/// future; a date in the past can be forgotten.
public struct Pace: Sendable, Hashable {
    /// How far one use moves the date.
    public let interval: Duration
    /// The number of uses that may come at once after a rest.
    public let burst: Int

    /// Creates a pace.
    public init(interval: Duration, burst: Int = 1) {
        precondition(interval >= .zero, "interval must be >= 0 s, got \(interval)")
        precondition(burst > 0, "burst must be > 0, got \(burst)")
        self.interval = interval
        self.burst = burst
    }

    /// The length of a rest after which the whole burst is available again.
    public var span: Duration { self.interval * self.burst }

    /// Actions returned by ``use(paidUntil:slack:reserve:now:)``.
    public enum OnUse: Sendable, Hashable {
        /// Allow it, and store this date.
        case pass(paidUntil: WallTime)
        /// Refuse it until then.
        case tooSoon(until: WallTime)
    }

    /// Decides about one use.
    ///
    /// - Parameters: - paidUntil: the date after the last use; nil when there was none. - slack: how much too early a
    ///   use may come, because it may have been delayed before; the next use waits longer then. - reserve: how many
    ///   uses of the burst are kept back for others; less than all of them. - now: the time.
    /// - Returns: what to do.
    public func use(
        paidUntil: WallTime?,
        slack: Duration = .zero,
        reserve: Int = 0,
        now: WallTime
    ) -> OnUse {
        // A date further ahead than the whole burst was stored before the clock was set back, and is ignored.
        let kept = paidUntil.flatMap { now.duration(to: $0) > self.span + slack ? nil : $0 }
        let begin = max(kept ?? now, now)
        let free = begin - (self.interval * (self.burst - 1 - reserve) + slack)
        return now >= free ? .pass(paidUntil: begin.advanced(by: self.interval)) : .tooSoon(until: free)
    }

    /// Returns the date to store after a use that cannot be refused.
    public func spend(paidUntil: WallTime?, now: WallTime) -> WallTime {
        switch self.use(paidUntil: paidUntil, now: now) {
        case .pass(let paid): paid
        // Stay at the limit: a later date would look as if the clock had been set back.
        case .tooSoon: now.advanced(by: self.span)
        }
    }
}
