/// The numbers that decide about significant changes and stays (ADR 0043).
public struct TravelPolicy: Sendable, Hashable {
    /// How far the device must move for a significant change, in millimetres.
    ///
    /// Default 500 m, from Apple's documentation of `startMonitoringSignificantLocationChanges()`.
    public var changeDistance: Int64 = 500_000
    /// The minimum time between two significant changes.
    ///
    /// Default 5 min, from the same page: an app is notified at most once every 5 minutes.
    public var changeInterval: Duration = .seconds(300)
    /// The maximum distance from a place at which the device counts as staying there, in millimetres.
    ///
    /// Default 100 m, half of the 200 m that Zheng et al. (WWW 2009) use for logs from receivers of 2008.
    public var stayRadius: Int64 = 100_000
    /// How long the device must be near a place before it counts as a stay.
    ///
    /// Default 10 min, half of the 20 min in that paper: longer than a red light, and a person on a walk has left the circle by then.
    public var stayPeriod: Duration = .seconds(600)
    /// The time between two requested positions.
    ///
    /// Default 5 min: significant changes are at least that far apart, and two positions in a period detect a stay.
    public var pause: Duration = .seconds(300)

    /// How long a stay is remembered while no app may receive it, so that an app that waits for a person's answer does
    /// not receive the same arrival twice.
    ///
    /// Default a day (our choice): a prompt may wait overnight.
    public var stayMemory: Duration = .seconds(86_400)

    /// Creates the default policy.
    public init() {}
}
