/// A date as people and receivers tell it, in microseconds since 1970-01-01 UTC; it may jump.
public struct WallTime: Sendable, Hashable, Comparable {
    /// Microseconds since 1970-01-01T00:00:00Z; negative before.
    public var microseconds: Int64

    /// Creates a date.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Creates a date from UNIX seconds, rounded to the microsecond; what no `Int64` holds becomes the nearest end.
    public init(seconds: Double) {
        let scaled = (seconds * 1_000_000).rounded()
        self.microseconds = Int64(exactly: scaled) ?? (scaled < 0 ? .min : .max)
    }

    /// UNIX seconds.
    public var seconds: Double { Double(self.microseconds) / 1_000_000 }

    /// The time from here to `other`; positive when `other` is later.
    public func duration(to other: WallTime) -> Duration {
        let (difference, overflow) = other.microseconds.subtractingReportingOverflow(self.microseconds)
        return .microseconds(overflow ? (other > self ? .max : .min) : difference)
    }

    /// Returns whether the left date is the earlier one.
    public static func < (lhs: WallTime, rhs: WallTime) -> Bool {
        lhs.microseconds < rhs.microseconds
    }
}
