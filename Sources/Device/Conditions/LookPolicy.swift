/// The numbers by which a receiver is switched on to look where the device is; `docs/conditions.md` has the measured effect.
public struct LookPolicy: Sendable, Hashable {
    /// The highest speed that a device is expected to reach, whatever its speed now, in millimetres a second.
    ///
    /// Default 36 m/s: 130 km/h, the limit of most European motorways.
    public var plausibleSpeed: Int64 = 36_000
    /// The speed that a device which is still may have next, in millimetres a second.
    ///
    /// Default 1.4 m/s: a walk (Knoblauch et al., TRR 1538, 1996: 1.25 to 1.51 m/s).
    public var walkingSpeed: Int64 = 1_400
    /// How much faster than at the last look a device may go until the next, in hundredths.
    ///
    /// Default 150: from 50 km/h in a town to 75 beyond it.
    public var acceleration: Int64 = 150
    /// The longest time between two looks when a boundary could be crossed within it.
    ///
    /// Default 3 min: Apple tells apps to expect 3 to 5 minutes on average (documented, region monitoring).
    public var latencyMax: Duration = .seconds(180)
    /// The time below which the receiver stays on until the next look.
    ///
    /// Default 10 s: switching it off gains nothing when it needs some seconds to find itself again.
    public var pauseMin: Duration = .seconds(10)

    /// The shortest time between two looks at a device that a receiver measures to be still.
    ///
    /// Default 30 s: a bed beside a boundary would keep the receiver on all night.
    public var stillPause: Duration = .seconds(30)
    /// The speed below which a receiver's own measure says that the device is still, in millimetres a second.
    ///
    /// Default 0.5 m/s: the Doppler noise in cities.
    public var stillSpeed: Int64 = 500

    /// Creates the default policy.
    public init() {}
}
