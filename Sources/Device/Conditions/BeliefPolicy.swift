/// The numbers by which the device decides on which side of a boundary it is.
///
/// Lengths in millimetres, chances in thousandths; the measurements behind them: `docs/conditions.md`.
public struct BeliefPolicy: Sendable, Hashable {
    /// The least chance of being inside at which a device that is seen to move enters, in thousandths.
    ///
    /// Default 750: Google's geofences enter at an overlap of 75 to 85 % (ProximityKit's documentation on Play services).
    public var entering: Int = 750
    /// The greatest chance of being inside at which a device that is seen to move leaves, in thousandths.
    ///
    /// Default 250: Google's geofences leave at 15 to 25 %.
    public var leaving: Int = 250
    /// The chance of the other side that both fixes need when the receiver measures no speed, in thousandths.
    ///
    /// Default 970: with 750 two fixes in a row err hundreds of times a day (`docs/conditions.md`, Wi-Fi and cells).
    public var unseen: Int = 970
    /// The chance of the other side that both fixes need when the receiver's speed does not explain that the device got there.
    ///
    /// Default 999, in thousandths: errors wander for minutes, so that two fixes of a device that is still err as one.
    public var unmoved: Int = 999
    /// The accuracy of a fix that tells none, in millimetres.
    ///
    /// Default 100 m, as for apps (`Policy.unknownAccuracy`).
    public var unknownAccuracy: Int64 = 100_000
    /// The best accuracy that any source is believed, in millimetres.
    ///
    /// Default 4.6 m: the GPS SPS Performance Standard (2020, table 3.8-3) promises 8 m for 95 % of all fixes, which is √2 σ =
    /// 4.6 m. A receiver indoors claimed 1.7 m, 200 m off (Ikolvi/Tracelet#294).
    public var accuracyFloor: Int64 = 4_600
    /// How long a first fix on the other side waits for a second one that agrees.
    ///
    /// Default 30 s: the receiver is kept on meanwhile, and needs up to 26 s if it has lost its satellites (u-blox M8 data
    /// sheet, warm start).
    public var agreementPatience: Duration = .seconds(30)
    /// How much later than the first fix the second must have been measured.
    ///
    /// Default 0.5 s: receivers repeat a position under a new time a few times a second.
    public var agreementSpacing: Duration = .milliseconds(500)
    /// The speed from which a receiver's own measure of it proves that the device moves, in millimetres a second.
    ///
    /// Default 0.8 m/s: slower than a walk (1.4 m/s), faster than the Doppler noise of a receiver that is still (0.1 m/s under
    /// open sky, to 0.5 m/s in cities).
    public var movingSpeed: Int64 = 800
    /// The error of the way between two fixes in a row that a speed is to explain, in millimetres.
    ///
    /// Default 2 m, and half of the way: a receiver indoors crept 5 to 13 m a second at a measured 0.5 to 2 (gpsd's log
    /// `quectel-eg25-g`).
    public var motionError: Int64 = 2_000
    /// The longest time between two fixes over which a speed explains the way between them.
    ///
    /// Default 5 s: beyond it a car has turned.
    public var motionGapMax: Duration = .seconds(5)
    /// The speed above which two fixes cannot both be right, in millimetres a second.
    ///
    /// Default 340 m/s: an airliner's ground speed in a strong tail wind (310 m/s, 2024) and a tenth more.
    public var speedMax: Int64 = 340_000
    /// The age from which a fix says nothing on where the device is.
    ///
    /// Default 30 s: Home Assistant's limit of a good fix; a car goes 1 km in that time.
    public var ageMax: Duration = .seconds(30)
    /// How far a fix may come from the future.
    ///
    /// Default 5 s, as for receivers' clocks (`Policy.receiverClockTolerance`).
    public var futureMax: Duration = .seconds(5)

    /// Creates the default policy.
    public init() {}
}
