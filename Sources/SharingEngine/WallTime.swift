/// A moment on the calendar, in milliseconds since 1970-01-01T00:00:00Z.
///
/// Requests outlive the process that accepted them and may be continued by another node, so their times are wall times:
/// no monotonic clock is shared across boots and machines. A step of the clock moves a deadline by as much.
public struct WallTime: Sendable, Hashable, Comparable {
    /// The milliseconds since 1970; negative before.
    public let milliseconds: Int64

    /// Creates a moment from milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Returns the moment `duration` later, rounded down to a millisecond; at the ends of the calendar it stays there.
    public func advanced(by duration: Duration) -> WallTime {
        let (seconds, attoseconds) = duration.components
        let (whole, tooLong) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, tooLate) = self.milliseconds.addingReportingOverflow(whole + attoseconds / 1_000_000_000_000_000)
        guard !tooLong, !tooLate else { return WallTime(milliseconds: seconds < 0 ? .min : .max) }
        return WallTime(milliseconds: sum)
    }

    /// Returns how much later this moment is than `other`; negative when it is earlier.
    public func duration(since other: WallTime) -> Duration {
        .milliseconds(self.milliseconds) - .milliseconds(other.milliseconds)
    }

    /// Compares by time.
    public static func < (lhs: WallTime, rhs: WallTime) -> Bool {
        lhs.milliseconds < rhs.milliseconds
    }
}
