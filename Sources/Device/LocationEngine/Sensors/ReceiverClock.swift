public import WhereaboutsVocabulary

/// The offset between a receiver's clock and the device's, determined from its fixes; it distinguishes an old fix from
/// a wrong clock (ADR 0049).
///
/// ```
///   offset ───────────── offset known: zero, until another one is shown
///     │  a fix is from the future by up to the tolerance, or is the first one: nothing arrives before it was measured, so
///     │  the clock is ahead
///     │  the device's own clock was set: the offset changes by as much
///     │  fixes late, or early, by the same time for ``span``: a backlog of fixes would drain faster than that
///     ▼
///   another offset
/// ```
/// A fix that is older than the offset explains is late: it was delayed, and shows where the device was before. The fix
/// with the least delay determines the offset, since delays only make fixes older.
public struct ReceiverClock: Sendable, Hashable {
    /// Fixes that were late, or early, by the same time.
    private struct Candidate: Sendable, Hashable {
        let first: Duration
        var least: Duration
        var count: Int
        let since: EngineInstant
    }

    /// The offset changes when fixes are late by the same time for this long, and in at least ``countMin`` fixes.
    static let span = Duration.seconds(5)
    static let countMin = 3
    /// How much equal delays may differ: more than a receiver's jitter, and less than a backlog shrinks during ``span``.
    static let spread = Duration.milliseconds(500)

    /// The difference between the device's and the receiver's time.
    public private(set) var offset = Duration.zero
    private var candidate: Candidate?
    /// Whether a fix has determined the offset, so that a fix from the future may be an error.
    private var isKnown = false
    /// When the last fix arrived.
    private var last: Now?
    private let tolerance: Duration

    /// Creates a clock without an offset.
    public init(policy: Policy) {
        self.tolerance = policy.receiverClockTolerance
    }

    /// Actions returned by ``fixCame(measured:now:)``.
    public enum OnFix: Sendable, Hashable {
        /// Use the fix, which was measured at that time of the device's clock.
        case date(WallTime)
        /// Drop the fix: it was delayed, the clock is not known yet, or the fix is from the future.
        case drop(FixDoubt)
    }

    /// Records a fix by the receiver's time.
    public mutating func fixCame(measured time: WallTime, now: Now) -> OnFix {
        let delay = time.duration(to: now.wall)
        if let last = self.last {
            let step = last.wall.duration(to: now.wall) - last.monotonic.duration(to: now.monotonic)
            // The device's clock was set since the last fix, and the receiver's clock was not.
            if abs(step) > Self.spread { self.offset += step }
        }
        self.last = now
        if abs(delay) <= self.tolerance {
            // The clock is right, or a little ahead: a wrong clock is seldom that close.
            if self.offset < .zero - self.tolerance || self.offset > .zero { self.offset = .zero }
            return .date(time.advanced(by: self.nearOffset(time, delay, now: now)))
        }
        let age = delay - self.offset
        if age < .zero {
            if self.isKnown, age < .zero - self.tolerance { return self.strangerCame(time, delay, .future, now: now) }
            // A shorter delay is a better estimate.
            self.learn(delay)
            return .date(now.wall)
        }
        if age <= self.tolerance {
            self.learn(self.offset)
            return .date(time.advanced(by: self.offset))
        }
        return self.strangerCame(time, delay, .late, now: now)
    }

    /// Updates the offset from a fix whose clock is at most the tolerance ahead; returns the time to add to the fix's.
    private mutating func nearOffset(_ time: WallTime, _ delay: Duration, now: Now) -> Duration {
        let late = delay - self.offset
        if late <= .zero || self.offset == .zero {
            self.learn(min(delay, .zero))
        } else if late <= Self.spread {
            self.candidate = nil
        } else if case .date = self.strangerCame(time, delay, .late, now: now) {
            // The clock was put back: delayed fixes would not all be late by the same time.
            self.offset = min(self.offset, .zero)
        }
        return self.offset
    }

    private mutating func strangerCame(
        _ time: WallTime,
        _ delay: Duration,
        _ doubt: FixDoubt,
        now: Now
    ) -> OnFix {
        guard var candidate = self.candidate, abs(delay - candidate.first) <= Self.spread else {
            self.candidate = Candidate(first: delay, least: delay, count: 1, since: now.monotonic)
            return .drop(doubt)
        }
        candidate.count += 1
        candidate.least = min(candidate.least, delay)
        self.candidate = candidate
        guard candidate.count >= Self.countMin, candidate.since.duration(to: now.monotonic) >= Self.span else {
            return .drop(doubt)
        }
        self.learn(candidate.least)
        return .date(time.advanced(by: candidate.least))
    }

    private mutating func learn(_ offset: Duration) {
        self.offset = offset
        self.candidate = nil
        self.isKnown = true
    }

    private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
}
