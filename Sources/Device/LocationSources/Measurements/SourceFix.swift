/// A measured position, as reported by a receiver.
///
/// Coordinates are WGS-84, which is what GNSS receivers compute in.
///
/// Every accuracy is one standard deviation, because that is what Core Location's are: an Apple engineer states that
/// `horizontalAccuracy` is √(σ_east² + σ_north²), the radius that holds 63–68 % of positions
/// (<https://developer.apple.com/forums/thread/699996>; Apple's reference gives no confidence).
/// ``AccuracyModel`` holds the conversions.
public struct SourceFix: Sendable, Hashable {
    /// The latitude in degrees, north positive, −90…90.
    public var latitude: Double
    /// The longitude in degrees, east positive, −180…180.
    public var longitude: Double
    /// The two-dimensional standard error √(σ_east² + σ_north²) in metres; negative when the receiver gave none.
    public var horizontalAccuracy: Double
    /// The height above mean sea level in metres; nil when the fix is two-dimensional.
    public var altitude: Double?
    /// The height above the WGS-84 ellipsoid in metres.
    public var ellipsoidalAltitude: Double?
    /// The standard deviation of the height in metres.
    public var verticalAccuracy: Double?
    /// The direction of travel over ground in degrees clockwise from true north, 0…360.
    public var course: Double?
    /// The standard deviation of ``course`` in degrees.
    public var courseAccuracy: Double?
    /// The speed over ground in metres per second.
    public var speed: Double?
    /// The standard deviation of ``speed`` in metres per second.
    public var speedAccuracy: Double?
    /// When the receiver measured, in UNIX seconds (UTC); nil when it does not know the date yet.
    public var time: Double?
    /// When the receiver measured, in seconds since midnight (UTC), if it knows no date; nil if ``time`` is known.
    public var timeOfDay: Double?
    /// Whether the fix was filtered before, for example by a phone, so that no receiver noise is left.
    public var isEstimate = false

    /// Creates a fix; values that the receiver did not report stay nil.
    ///
    /// - Parameters:
    ///   - latitude: degrees, north positive.
    ///   - longitude: degrees, east positive.
    ///   - horizontalAccuracy: metres, one standard error; negative when unknown.
    ///   - time: UNIX seconds; nil when the date is unknown.
    public init(latitude: Double, longitude: Double, horizontalAccuracy: Double, time: Double?) {
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.time = time
    }

    /// Returns when the receiver measured: a time without a date gets the day that makes it nearest to now.
    ///
    /// - Parameter now: UNIX seconds.
    /// - Returns: UNIX seconds; nil when the receiver reported no time.
    public func time(now: Double) -> Double? {
        self.time ?? self.timeOfDay.map { UTCTime.nearest(timeOfDay: $0, to: now) }
    }

    /// Returns the same measurement with another time, for playing a recording as if it happened now.
    ///
    /// - Parameter time: UNIX seconds.
    /// - Returns: the same fix with that time.
    public func stamped(at time: Double) -> SourceFix {
        var fix = self
        fix.time = time
        return fix
    }
}
