/// The limits of a grant besides its time and its interval: hours, uses, approval and live sharing.
public struct GrantLimits: Sendable, Hashable {
    /// The hours of the day in which the grant is valid; nil: all.
    public var hours: DayHours?
    /// How many requests the grant allows; nil: any number.
    public var usesMax: UInt16?
    /// Whether the sharer is asked each time.
    public var asksPerson: Bool
    /// The longest live share, in minutes, 1 to 1,440; nil: none is allowed.
    public var followMinutesMax: UInt16?

    /// Creates limits; missing values limit nothing, except that live sharing must be allowed explicitly.
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
