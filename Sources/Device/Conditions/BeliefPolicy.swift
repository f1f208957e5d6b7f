/// The numbers that decide on which side of a boundary the device is.
///
/// Lengths in millimetres, chances in thousandths; `docs/conditions.md` has the measurements.
public struct BeliefPolicy: Sendable, Hashable {
    /// A device with measured motion enters a region when the chance that it is inside reaches this value, in thousandths.
    ///
    /// Default 750: Google's geofences enter at an overlap of 75 to 85 % (ProximityKit's documentation on Play services).
    public var entering: Int = 750
    /// A device with measured motion leaves a region when the chance that it is inside falls to this value, in thousandths.
    ///
    /// Default 250: Google's geofences leave at 15 to 25 %.
    public var leaving: Int = 250
    /// The chance of the other side that the newest fix needs when no measured speed explains it, in thousandths.
    ///
    /// Default 999: errors change over minutes, so a second fix of a still device adds nothing new.
    public var single: Int = 999
    /// The chance of the other side that the average of independent fixes needs, in thousandths.
    ///
    /// Default 975. `docs/conditions.md` has the curve: at 950 a device with slowly changing errors causes several
    /// times as many false events, at 990 its arrivals are detected a fifth later.
    public var average: Int = 975
    /// The time after which a further fix can be independent of the fix before.
    ///
    /// Default 8 s: phones scan for Wi-Fi at most every ten seconds or so, and repeat a position meanwhile.
    public var witnessSpacing: Duration = .seconds(8)
    /// How many independent fixes an average remembers.
    ///
    /// Default 10: an average of more fixes is too slow for a device that walks a few metres without measured motion.
    public var witnessesMax: Int = 10
    /// The distance from the average within which a fix agrees with it, in standard deviations.
    ///
    /// Default 3: if the receiver's accuracies are right, one fix in ninety is farther away in the plane.
    public var agreementSigmas: Int = 3
    /// The distance from the average beyond which a fix cannot be a normal error, in standard deviations.
    ///
    /// Default 6: a normal error exceeds it once in sixty million fixes. Either the device moved, or the receiver's accuracy is wrong.
    public var farSigmas: Int = 6
    /// How long fixes must be far from the average before the device counts as moved.
    ///
    /// Default 15 s: a receiver indoors was 200 m off for single fixes, five times in three minutes (Ikolvi/Tracelet#294).
    public var farPeriod: Duration = .seconds(15)
    /// How many independent fixes at another place replace the average, if they are not far from it.
    ///
    /// Default 3: two normal errors of 3 σ in a row happen every few weeks, three do not.
    public var moveWitnesses: Int = 3
    /// The accuracy assumed for a fix that has none, in millimetres.
    ///
    /// Default 100 m, as for apps (`Policy.unknownAccuracy`).
    public var unknownAccuracy: Int64 = 100_000
    /// The best accuracy that is accepted from any source, in millimetres.
    ///
    /// Default 4.6 m: the GPS SPS Performance Standard (2020, table 3.8-3) promises 8 m for 95 % of all fixes, which is √2 σ =
    /// 4.6 m. A receiver indoors claimed 1.7 m, 200 m off (Ikolvi/Tracelet#294).
    public var accuracyFloor: Int64 = 4_600
    /// How long after the last fix a single fix is accepted without a second one.
    ///
    /// Default 30 s: the receiver is kept on meanwhile, and needs up to 26 s if it has lost its satellites (u-blox M8 data
    /// sheet, warm start).
    public var silencePeriod: Duration = .seconds(30)
    /// How much later than the first fix of an average the second must have been measured to confirm it.
    ///
    /// Default 0.5 s: receivers repeat a position under a new time a few times a second.
    public var agreementSpacing: Duration = .milliseconds(500)
    /// The measured speed from which the device counts as moving, in millimetres a second.
    ///
    /// Default 0.8 m/s: slower than a walk (1.4 m/s), faster than the Doppler noise of a receiver that is still (0.1 m/s under
    /// open sky, to 0.5 m/s in cities).
    public var movingSpeed: Int64 = 800
    /// The measured speed from which fixes are not averaged if the device moves farther than their error, in millimetres a second.
    ///
    /// Default 0.5 m/s: a hiker who climbs. Under open sky Doppler noise is a fifth of that; in cities errors are
    /// larger than the distance covered in ``witnessSpacing``.
    public var creepingSpeed: Int64 = 500
    /// The allowed error of a distance that a speed must explain, in millimetres.
    ///
    /// Default 2 m, and half of the distance: the position of a receiver indoors moved 5 to 13 m a second at a measured
    /// 0.5 to 2 m/s (gpsd's log `quectel-eg25-g`).
    public var motionError: Int64 = 2_000
    /// The longest time between two fixes over which a speed explains the distance between them.
    ///
    /// Default 5 s: in a longer time a car may have turned.
    public var motionGapMax: Duration = .seconds(5)
    /// The speed above which two fixes cannot both be right, in millimetres a second.
    ///
    /// Default 340 m/s: an airliner's ground speed in a strong tail wind (310 m/s, 2024), plus a tenth.
    public var speedMax: Int64 = 340_000
    /// The age from which a fix no longer shows where the device is.
    ///
    /// Default 30 s: Home Assistant's limit of a good fix; a car goes 1 km in that time.
    public var ageMax: Duration = .seconds(30)
    /// How far in the future the time of a fix may be.
    ///
    /// Default 5 s, as for receivers' clocks (`Policy.receiverClockTolerance`).
    public var futureMax: Duration = .seconds(5)

    /// Creates the default policy.
    public init() {}
}
