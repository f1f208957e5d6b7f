public import WhereaboutsVocabulary

/// A UTC day, the period of senders' accounts.
public struct AccountDay: Sendable, Hashable, Comparable {
    /// The days since 1970-01-01; negative before.
    public let number: Int64

    private static let seconds: Int64 = 86_400

    /// Creates the day with a number.
    public init(number: Int64) {
        self.number = number
    }

    /// Creates the day that contains a time.
    public init(_ time: WallTime) {
        let (days, rest) = time.seconds.quotientAndRemainder(dividingBy: Self.seconds)
        self.number = rest < 0 ? days - 1 : days
    }

    /// The first instant of the day.
    public var start: WallTime { WallTime(seconds: self.number * Self.seconds) }

    /// Returns the day that is `days` days earlier.
    public func before(days: Int64) -> AccountDay { AccountDay(number: self.number - days) }

    /// Returns whether the left day is the earlier one.
    public static func < (lhs: AccountDay, rhs: AccountDay) -> Bool { lhs.number < rhs.number }
}
