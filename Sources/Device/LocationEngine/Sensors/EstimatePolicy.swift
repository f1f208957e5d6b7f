/// The numbers by which a receiver's noise is taken out of its fixes; `docs/receivers.md` has the measured effect.
public struct EstimatePolicy: Sendable, Hashable {
    /// How many standard deviations a fix may be off before it counts as an outlier.
    ///
    /// Default 5: of normal errors in two dimensions four in a million are; receivers have longer tails.
    public var outlierSigmas: Int64 = 5
    /// How long, and for ``outlierCountMin`` fixes at least, outliers have to agree with one another before they are believed.
    ///
    /// Default 2 s: a reflection seldom lasts longer, and streams learn that there is no position only after 5 s.
    public var outlierPatience: Duration = .seconds(2)
    /// See ``outlierPatience``.
    public var outlierCountMin = 3
    /// The time without a fix after which nothing is left of what was known.
    ///
    /// Default 30 s: a car has gone 1 km.
    public var gapMax: Duration = .seconds(30)
    /// The standard deviation of the velocity along each axis where the receiver tells none, in millimetres a second.
    ///
    /// Default 0.5 m/s: the Doppler noise in cities; under an open sky it is 0.1.
    public var speedNoise: Int64 = 500
    /// The speed below which a device has no course, in millimetres a second.
    ///
    /// Default 0.5 m/s: as slow, the Doppler noise is as long as the velocity.
    public var courseSpeedMin: Int64 = 500
    /// The speed from which a device is no walker, in millimetres a second.
    ///
    /// Default 3 m/s: a run.
    public var vehicleSpeed: Int64 = 3_000
    /// The acceleration, lasting a second, of a device that stands still, in mm/s² and as a standard deviation.
    ///
    /// Default 0.3 m/s²: it may set out on foot with the next fix.
    public var stillAcceleration: Int64 = 300
    /// That of somebody on foot.
    ///
    /// Default 1 m/s²: a walker stops, or turns about, within two seconds.
    public var walkingAcceleration: Int64 = 1_000
    /// That of a vehicle, and of a device of which no speed is known.
    ///
    /// Default 2 m/s²: drivers brake at 3.4 m/s² for what comes unexpectedly (AASHTO's design value), and seldom as hard; less loses a
    /// car in its turns, more lets noise through (`docs/receivers.md`).
    public var vehicleAcceleration: Int64 = 2_000

    /// Creates the default policy.
    public init() {}
}
