internal import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// A measured position.
///
/// Held in integers: a last-digit difference between two machines' arithmetic must not change a decision (ADR 0003).
public struct Fix: Sendable, Hashable {
    /// WGS-84 latitude in 1e-7 degree (1.1 cm), -90°…90°.
    public var latitude: Int32
    /// WGS-84 longitude in 1e-7 degree, -180°…180°.
    public var longitude: Int32
    /// The radius of uncertainty in millimetres, zero or more; nil when the receiver reports none.
    public var horizontalAccuracy: Int32?
    /// Height above mean sea level in millimetres; nil when the receiver reports none.
    public var altitude: Int32?
    /// Height above the WGS-84 ellipsoid in millimetres; nil when the receiver reports none.
    public var ellipsoidalAltitude: Int32?
    /// The uncertainty of both heights in millimetres; nil when unknown.
    public var verticalAccuracy: Int32?
    /// The direction of travel in 1e-2 degree from true north, 0…35 999; nil when unknown.
    public var course: Int32?
    /// The uncertainty of ``course`` in 1e-2 degree; nil when unknown.
    public var courseAccuracy: Int32?
    /// The speed over ground in millimetres a second; nil when unknown.
    public var speed: Int32?
    /// The uncertainty of ``speed`` in millimetres a second; nil when unknown.
    public var speedAccuracy: Int32?
    /// Whether software made the fix, such as a played recording: no receiver measured it.
    public var isSimulated: Bool
    /// The number of the receiver that measured the fix, whose noise ``FixEstimator`` filters; nil: not filtered,
    /// because software made the fix or it was filtered before.
    public var receiver: UInt8?
    /// When the position was measured, on the device's wall clock.
    public var time: WallTime
    /// When the fix reached the engine.
    public var arrival: EngineInstant

    /// Creates a fix.
    public init(
        latitude: Int32,
        longitude: Int32,
        horizontalAccuracy: Int32?,
        altitude: Int32? = nil,
        ellipsoidalAltitude: Int32? = nil,
        verticalAccuracy: Int32? = nil,
        course: Int32? = nil,
        courseAccuracy: Int32? = nil,
        speed: Int32? = nil,
        speedAccuracy: Int32? = nil,
        isSimulated: Bool = false,
        receiver: UInt8? = nil,
        time: WallTime,
        arrival: EngineInstant
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.horizontalAccuracy = horizontalAccuracy
        self.altitude = altitude
        self.ellipsoidalAltitude = ellipsoidalAltitude
        self.verticalAccuracy = verticalAccuracy
        self.course = course
        self.courseAccuracy = courseAccuracy
        self.speed = speed
        self.speedAccuracy = speedAccuracy
        self.isSimulated = isSimulated
        self.receiver = receiver
        self.time = time
        self.arrival = arrival
    }
}

extension Fix {
    /// The point on the grid; coordinates out of range are clamped.
    var point: QuantizedCoordinate {
        QuantizedCoordinate(
            latitude: min(max(Int(self.latitude), -900_000_000), 900_000_000),
            longitude: min(max(Int(self.longitude), -1_800_000_000), 1_800_000_000)
        )
    }

    /// The distance to another position along the ellipsoid, in millimetres.
    func distance(to other: Fix) -> Int64 {
        Geodesic.millimeters(from: self.point, to: other.point)
    }
}
