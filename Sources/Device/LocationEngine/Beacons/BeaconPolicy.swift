/// The numbers for ranging beacons, and for conditions on beacons; ADR 0046 has the alternatives.
public struct BeaconPolicy: Sendable, Hashable {
    /// How long a beacon must be silent before the device counts as away from it.
    ///
    /// Default 30 s: the time after which iOS reports an exit, since bodies and walls hide a beacon for a while
    /// (observed by many; Apple publishes no number).
    public var exitPatience: Duration = .seconds(30)
    /// The silence of a scanner after which its time does not count as listening.
    ///
    /// Default 5 s, as ``Policy/fixSilence``: streams then receive that the scanner is unavailable.
    public var scannerSilence: Duration = .seconds(5)
    /// The time between two reports of the beacons in range.
    ///
    /// Default 1 s (documented of ranging: once a second).
    public var reportInterval: Duration = .seconds(1)
    /// The age of the receptions for a reported distance, and the silence after which a beacon that was never received
    /// counts as away.
    ///
    /// Default 5 s: fifty advertisements of an iBeacon, so that a few lost ones have no effect.
    public var smoothing: Duration = .seconds(5)
    /// How long a silent beacon is still reported, with unknown proximity.
    ///
    /// Default 10 s (observed of iOS: a beacon that was switched off is listed for about ten seconds).
    public var memory: Duration = .seconds(10)
    /// The largest distance at which a beacon is immediate, in millimetres.
    ///
    /// Default 0.5 m ("Getting Started with iBeacon": immediate is a device held to the beacon).
    public var immediateDistance: Int64 = 500
    /// The largest distance at which a beacon is near, in millimetres.
    ///
    /// Default 3 m ("Getting Started with iBeacon": near is one to three metres in the line of sight).
    public var nearDistance: Int64 = 3000

    /// Creates the default policy.
    public init() {}
}
