/// A date, in microseconds since 1970-01-01T00:00:00Z, as people, receivers and protocols use it; the wall clock may jump.
///
/// The ends of the range mean "before everything" and "after everything". Arithmetic and conversions stop there, so that a number from
/// outside cannot overflow, and an end stays an end when it is converted to milliseconds and back.
public struct WallTime: Sendable, Hashable, Comparable {
    /// Microseconds since 1970; negative before.
    public let microseconds: Int64

    /// Creates a date from microseconds since 1970.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Creates a date from milliseconds since 1970, clamped to the range.
    public init(milliseconds: Int64) {
        self.init(milliseconds, unit: 1000)
    }

    /// Creates a date from whole seconds since 1970, clamped to the range.
    public init(seconds: Int64) {
        self.init(seconds, unit: 1_000_000)
    }

    /// Creates a date from seconds since 1970, rounded to the microsecond and clamped to the range.
    public init(timeIntervalSince1970 seconds: Double) {
        let scaled = (seconds * 1_000_000).rounded()
        self.init(microseconds: Int64(exactly: scaled) ?? (scaled < 0 ? .min : .max))
    }

    private init(_ count: Int64, unit: Int64) {
        let (product, overflow) = count.multipliedReportingOverflow(by: unit)
        self.init(microseconds: overflow ? (count < 0 ? .min : .max) : product)
    }

    /// Whole milliseconds since 1970, rounded down.
    public var milliseconds: Int64 { self.count(of: 1000) }

    /// Whole seconds since 1970, rounded down.
    public var seconds: Int64 { self.count(of: 1_000_000) }

    /// Seconds since 1970, as Foundation's `Date` counts them.
    public var timeIntervalSince1970: Double { Double(self.microseconds) / 1_000_000 }

    /// The date rounded down to milliseconds, for protocols with milliseconds: the value is the same before and after sending.
    public var wholeMilliseconds: WallTime { WallTime(milliseconds: self.milliseconds) }

    private func count(of unit: Int64) -> Int64 {
        guard self.microseconds != .min, self.microseconds != .max else { return self.microseconds }
        let (quotient, remainder) = self.microseconds.quotientAndRemainder(dividingBy: unit)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Returns the date `duration` later, rounded down to the microsecond and clamped to the range.
    public func advanced(by duration: Duration) -> WallTime {
        let (seconds, attoseconds) = duration.components
        let (whole, tooLong) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let fraction = attoseconds / 1_000_000_000_000 - (attoseconds % 1_000_000_000_000 < 0 ? 1 : 0)
        let (change, tooFar) = whole.addingReportingOverflow(fraction)
        let (sum, tooLate) = self.microseconds.addingReportingOverflow(change)
        guard !tooLong, !tooFar, !tooLate else { return WallTime(microseconds: duration < .zero ? .min : .max) }
        return WallTime(microseconds: sum)
    }

    /// Returns the date `duration` earlier, rounded down to the microsecond and clamped to the range.
    public static func - (date: WallTime, duration: Duration) -> WallTime { date.advanced(by: .zero - duration) }

    /// Returns the time from this date to `other`; positive when `other` is later.
    public func duration(to other: WallTime) -> Duration {
        .microseconds(other.microseconds) - .microseconds(self.microseconds)
    }

    /// Returns whether the left date is the earlier one.
    public static func < (lhs: WallTime, rhs: WallTime) -> Bool {
        lhs.microseconds < rhs.microseconds
    }
}
