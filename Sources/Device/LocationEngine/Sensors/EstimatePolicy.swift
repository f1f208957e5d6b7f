/// The numbers of the noise filter for receivers' fixes; `docs/receivers.md` has the measured effect.
public struct EstimatePolicy: Sendable, Hashable {
    /// How many standard deviations a fix may be off before it counts as an outlier.
    ///
    /// Default 5: of normal errors in two dimensions, four in a million exceed it; receivers have longer tails.
    public var outlierSigmas: Int64 = 5
    /// How long, and for at least ``outlierCountMin`` fixes, outliers must agree with one another before they are
    /// accepted.
    ///
    /// Default 2 s: a reflection seldom lasts longer, and streams learn only after 5 s that there is no position.
    public var outlierPatience: Duration = .seconds(2)
    /// See ``outlierPatience``.
    public var outlierCountMin = 3
    /// The time without a fix after which the track is discarded.
    ///
    /// Default 30 s: a car travels 1 km in that time.
    public var gapMax: Duration = .seconds(30)
    /// The standard deviation of the velocity along each axis if the receiver reports none, in millimetres a second.
    ///
    /// Default 0.5 m/s: the Doppler noise in cities; under an open sky it is 0.1.
    public var speedNoise: Int64 = 500
    /// The speed below which the course is not reported, in millimetres a second.
    ///
    /// Default 0.5 m/s: at that speed, the Doppler noise is as large as the velocity.
    public var courseSpeedMin: Int64 = 500
    /// The speed from which a device counts as in a vehicle, in millimetres a second.
    ///
    /// Default 3 m/s: a run.
    public var vehicleSpeed: Int64 = 3_000
    /// The standard deviation of the acceleration of a still device over a second, in mm/s².
    ///
    /// Default 0.3 m/s²: its owner may start to walk with the next fix.
    public var stillAcceleration: Int64 = 300
    /// The standard deviation of the acceleration of a walking person.
    ///
    /// Default 1 m/s²: a walker stops, or turns around, within two seconds.
    public var walkingAcceleration: Int64 = 1_000
    /// The standard deviation of the acceleration of a vehicle, and of a device of unknown speed.
    ///
    /// Default 2 m/s²: drivers brake at 3.4 m/s² in an emergency (AASHTO's design value), and seldom that hard; a
    /// smaller value loses a car in its turns, a larger one lets more noise through (`docs/receivers.md`).
    public var vehicleAcceleration: Int64 = 2_000

    /// Creates the default policy.
    public init() {}
}
