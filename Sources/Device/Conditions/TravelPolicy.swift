/// The numbers by which the device recognises that it moved far, or stays; ADR 0043 has the alternatives.
public struct TravelPolicy: Sendable, Hashable {
    /// How far the device moves before that is a significant change, in millimetres.
    ///
    /// Default 500 m (documented with `startMonitoringSignificantLocationChanges()`).
    public var changeDistance: Int64 = 500_000
    /// The least time between two significant changes.
    ///
    /// Default 5 min (documented, the same: not more often than once every 5 minutes).
    public var changeInterval: Duration = .seconds(300)
    /// How far from a place the device may be and still stay there, in millimetres.
    ///
    /// Default 100 m: half of the 200 m of published stay points (Zheng et al., WWW 2009), whose logs were of 2008's receivers.
    public var stayRadius: Int64 = 100_000
    /// How long the device must be near a place before it counts as a stay.
    ///
    /// Default 10 min: half of the 20 min of the same; a red light and a queue are over, a walk has left the circle.
    public var stayPeriod: Duration = .seconds(600)
    /// The time between two looks.
    ///
    /// Default 5 min: a significant change may come no sooner, and two looks a period tell a stay.
    public var pause: Duration = .seconds(300)

    /// How long a stay is remembered while no app may receive it: an app that waits for a person's answer is not told of the same
    /// arrival twice.
    ///
    /// Default a day (our choice): a question waits over night.
    public var stayMemory: Duration = .seconds(86_400)

    /// Creates the default policy.
    public init() {}
}
