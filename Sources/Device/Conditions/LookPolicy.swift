/// The numbers that decide when a receiver is switched on for a position; `docs/conditions.md` has the measured effect.
public struct LookPolicy: Sendable, Hashable {
    /// The highest speed that a device is expected to reach, whatever its speed now, in millimetres a second.
    ///
    /// Default 36 m/s: 130 km/h, the limit of most European motorways.
    public var plausibleSpeed: Int64 = 36_000
    /// The speed that a still device may have next, in millimetres a second.
    ///
    /// Default 1.4 m/s: a walk (Knoblauch et al., TRR 1538, 1996: 1.25 to 1.51 m/s).
    public var walkingSpeed: Int64 = 1_400
    /// The speed that a device may have until the next position, in hundredths of its last speed.
    ///
    /// Default 150: from 50 km/h in a town to 75 km/h outside.
    public var acceleration: Int64 = 150
    /// The longest time between two requested positions when a boundary could be crossed within it.
    ///
    /// Default 3 min: Apple tells apps to expect 3 to 5 minutes on average (documented, region monitoring).
    public var latencyMax: Duration = .seconds(180)
    /// The time below which the receiver stays on until the next position.
    ///
    /// Default 10 s: switching the receiver off saves nothing if it then needs some seconds to find its position again.
    public var pauseMin: Duration = .seconds(10)

    /// The shortest time between two requested positions while the receiver measures that the device is still.
    ///
    /// Default 30 s: otherwise a phone that lies all night beside a boundary would keep its receiver on.
    public var stillPause: Duration = .seconds(30)
    /// The measured speed below which the device counts as still, in millimetres a second.
    ///
    /// Default 0.5 m/s: the Doppler noise in cities.
    public var stillSpeed: Int64 = 500

    /// Creates the default policy.
    public init() {}
}
