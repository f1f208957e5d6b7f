public import WhereaboutsVocabulary

/// A sharer's permission for one requester to ask: the terms of a signed message; its times are whole milliseconds.
public struct Grant: Sendable, Hashable {
    /// The identifier of the grant, by which it is revoked.
    public let id: GrantID
    /// The sharer, whose device answers.
    public let sharer: PublicIdentity
    /// The person who may ask.
    public let requester: PublicIdentity
    /// The highest precision of an answer.
    public let precision: Precision
    /// When the grant becomes valid.
    public let notBefore: WallTime
    /// When the grant expires, exclusive.
    public let notAfter: WallTime
    /// The minimum time between two accepted requests, in whole seconds; 0: only the server's pace and the device's push
    /// budget limit them.
    public let intervalMin: UInt32
    /// The hours of the day in which the grant is valid; nil: all.
    public let hours: DayHours?
    /// How many requests the grant allows; nil: any number.
    public let usesMax: UInt16?
    /// Whether the sharer must approve each request.
    public let asksPerson: Bool
    /// The longest live share, in minutes; nil: none is allowed.
    public let followMinutesMax: UInt16?

    /// The longest duration of any live share, in minutes: a day.
    ///
    /// Source: our choice; anyone who follows for longer asks again, and the sharer's device decides again.
    public static let followMinutesLimit: UInt16 = 1440

    /// Creates the terms; at least one use, and a live share of one minute to one day.
    public init(
        id: GrantID,
        sharer: PublicIdentity,
        requester: PublicIdentity,
        precision: Precision,
        notBefore: WallTime,
        notAfter: WallTime,
        intervalMin: UInt32,
        hours: DayHours? = nil,
        usesMax: UInt16? = nil,
        asksPerson: Bool = false,
        followMinutesMax: UInt16? = nil
    ) {
        precondition(usesMax != 0, "usesMax must be > 0, got 0")
        precondition(
            followMinutesMax.map { (1...Self.followMinutesLimit).contains($0) } ?? true,
            "followMinutesMax must be 1...\(Self.followMinutesLimit) min, got \(followMinutesMax ?? 0)"
        )
        self.id = id
        self.sharer = sharer
        self.requester = requester
        self.precision = precision
        self.notBefore = notBefore.wholeMilliseconds
        self.notAfter = notAfter.wholeMilliseconds
        self.intervalMin = intervalMin
        self.hours = hours
        self.usesMax = usesMax
        self.asksPerson = asksPerson
        self.followMinutesMax = followMinutesMax
    }
}
