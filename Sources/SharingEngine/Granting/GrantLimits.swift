/// When, how often and after which question a grant may be used, beside its time and its interval.
public struct GrantLimits: Sendable, Hashable {
    /// The hours of the day in which it holds; nil for all of them.
    public var hours: DayHours?
    /// How many requests are let in under it; nil for any number.
    public var usesMax: UInt16?
    /// Whether the sharer is asked each time.
    public var asksPerson: Bool

    /// Creates limits; what is not given limits nothing.
    public init(hours: DayHours? = nil, usesMax: UInt16? = nil, asksPerson: Bool = false) {
        self.hours = hours
        self.usesMax = usesMax
        self.asksPerson = asksPerson
    }
}
