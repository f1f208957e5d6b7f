/// A point of the calendar; it may jump when a clock is set.
///
/// The gateway needs no other time: expirations, token ages and 410 timestamps are all calendar times by protocol.
public struct WallTime: Sendable, Hashable, Comparable {
    /// Milliseconds since the UNIX epoch.
    public let milliseconds: Int64

    /// Creates a time from milliseconds since the UNIX epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates a time from seconds since the UNIX epoch, which must fit 64 bits as milliseconds.
    public init(seconds: Int64) {
        self.milliseconds = seconds * 1000
    }

    /// Whole seconds since the UNIX epoch, rounded down.
    public var seconds: Int64 {
        let (quotient, remainder) = self.milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Returns whether the left time is the earlier one.
    public static func < (lhs: WallTime, rhs: WallTime) -> Bool {
        lhs.milliseconds < rhs.milliseconds
    }
}
