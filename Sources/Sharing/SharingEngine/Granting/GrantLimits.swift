/// When, how often, after which question and for how long in a row a grant may be used, beside its time and its interval.
public struct GrantLimits: Sendable, Hashable {
    /// The hours of the day in which it holds; nil for all of them.
    public var hours: DayHours?
    /// How many requests are let in under it; nil for any number.
    public var usesMax: UInt16?
    /// Whether the sharer is asked each time.
    public var asksPerson: Bool
    /// The longest that one following may last, in minutes, 1 to 1,440; nil where nobody may follow.
    public var followMinutesMax: UInt16?

    /// Creates limits; what is not given limits nothing, but following is allowed only where it is given.
    public init(
        hours: DayHours? = nil,
        usesMax: UInt16? = nil,
        asksPerson: Bool = false,
        followMinutesMax: UInt16? = nil
    ) {
        self.hours = hours
        self.usesMax = usesMax
        self.asksPerson = asksPerson
        self.followMinutesMax = followMinutesMax
    }
}
