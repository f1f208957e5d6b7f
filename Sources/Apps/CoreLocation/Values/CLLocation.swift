public import Foundation

/// The location of the device, with its accuracy and the time of the measurement.
///
/// Check an accuracy before you use the value that it belongs to: a negative accuracy says that the value is invalid.
/// Locations are immutable, and can be used on any thread.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Unchecked, because the class is open, as Apple's class is; its only stored property is immutable.
    private let fields: Fields

    /// The values of a location, by default unknown.
    package struct Fields {
        package var coordinate = CLLocationCoordinate2D()
        package var altitude: CLLocationDistance = 0
        package var ellipsoidalAltitude: CLLocationDistance = 0
        package var horizontalAccuracy: CLLocationAccuracy = -1
        package var verticalAccuracy: CLLocationAccuracy = -1
        package var course: CLLocationDirection = -1
        package var courseAccuracy: CLLocationDirectionAccuracy = -1
        package var speed: CLLocationSpeed = -1
        package var speedAccuracy: CLLocationSpeedAccuracy = -1
        package var timestamp: Date
        package var floor: CLFloor?
        package var sourceInformation: CLLocationSourceInformation?

        package init(timestamp: Date = Date()) {
            self.timestamp = timestamp
        }
    }

    /// Creates a location from all its values.
    package init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// Creates a location whose values are invalid, with the current time.
    public override init() {
        self.fields = Fields()
        super.init()
    }

    // All initializers are designated ones, as Apple's are, so that subclasses can call any of them.

    /// Creates a location from a latitude and a longitude, with the current time.
    ///
    /// The horizontal accuracy is 0; altitude, course and speed are invalid.
    ///
    /// - Parameters:
    ///   - latitude: the latitude in degrees.
    ///   - longitude: the longitude in degrees.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        var fields = Fields()
        fields.coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        fields.horizontalAccuracy = 0
        self.fields = fields
        super.init()
    }

    /// Creates a location from a coordinate and an altitude.
    ///
    /// - Parameters:
    ///   - coordinate: the coordinate.
    ///   - altitude: the altitude above mean sea level, in meters.
    ///   - hAccuracy: the accuracy of the coordinate, in meters; negative if it is invalid.
    ///   - vAccuracy: the accuracy of the altitude, in meters; negative if it is invalid.
    ///   - timestamp: the time of the measurement.
    public init(
        coordinate: CLLocationCoordinate2D,
        altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy,
        timestamp: Date
    ) {
        self.fields = Fields(coordinate, altitude, hAccuracy, vAccuracy, timestamp)
        super.init()
    }

    /// Creates a location with a course and a speed.
    ///
    /// - Parameters:
    ///   - coordinate: the coordinate.
    ///   - altitude: the altitude above mean sea level, in meters.
    ///   - hAccuracy: the accuracy of the coordinate, in meters; negative if it is invalid.
    ///   - vAccuracy: the accuracy of the altitude, in meters; negative if it is invalid.
    ///   - course: the direction of travel, in degrees clockwise from true north; negative if it is invalid.
    ///   - speed: the speed, in meters per second; negative if it is invalid.
    ///   - timestamp: the time of the measurement.
    public init(
        coordinate: CLLocationCoordinate2D,
        altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy,
        course: CLLocationDirection,
        speed: CLLocationSpeed,
        timestamp: Date
    ) {
        var fields = Fields(coordinate, altitude, hAccuracy, vAccuracy, timestamp)
        (fields.course, fields.speed) = (course, speed)
        self.fields = fields
        super.init()
    }

    /// Creates a location with a course, a speed, and their accuracies.
    ///
    /// - Parameters:
    ///   - coordinate: the coordinate.
    ///   - altitude: the altitude above mean sea level, in meters.
    ///   - hAccuracy: the accuracy of the coordinate, in meters; negative if it is invalid.
    ///   - vAccuracy: the accuracy of the altitude, in meters; negative if it is invalid.
    ///   - course: the direction of travel, in degrees clockwise from true north; negative if it is invalid.
    ///   - courseAccuracy: the accuracy of the course, in degrees; negative if it is invalid.
    ///   - speed: the speed, in meters per second; negative if it is invalid.
    ///   - speedAccuracy: the accuracy of the speed, in meters per second; negative if it is invalid.
    ///   - timestamp: the time of the measurement.
    public init(
        coordinate: CLLocationCoordinate2D,
        altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy,
        course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy,
        speed: CLLocationSpeed,
        speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date
    ) {
        var fields = Fields(coordinate, altitude, hAccuracy, vAccuracy, timestamp)
        (fields.course, fields.courseAccuracy) = (course, courseAccuracy)
        (fields.speed, fields.speedAccuracy) = (speed, speedAccuracy)
        self.fields = fields
        super.init()
    }

    /// Creates a location with a course, a speed, their accuracies, and the source.
    ///
    /// - Parameters:
    ///   - coordinate: the coordinate.
    ///   - altitude: the altitude above mean sea level, in meters.
    ///   - hAccuracy: the accuracy of the coordinate, in meters; negative if it is invalid.
    ///   - vAccuracy: the accuracy of the altitude, in meters; negative if it is invalid.
    ///   - course: the direction of travel, in degrees clockwise from true north; negative if it is invalid.
    ///   - courseAccuracy: the accuracy of the course, in degrees; negative if it is invalid.
    ///   - speed: the speed, in meters per second; negative if it is invalid.
    ///   - speedAccuracy: the accuracy of the speed, in meters per second; negative if it is invalid.
    ///   - timestamp: the time of the measurement.
    ///   - sourceInfo: information about the source of the location.
    public init(
        coordinate: CLLocationCoordinate2D,
        altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy,
        course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy,
        speed: CLLocationSpeed,
        speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date,
        sourceInfo: CLLocationSourceInformation
    ) {
        var fields = Fields(coordinate, altitude, hAccuracy, vAccuracy, timestamp)
        (fields.course, fields.courseAccuracy) = (course, courseAccuracy)
        (fields.speed, fields.speedAccuracy) = (speed, speedAccuracy)
        fields.sourceInformation = sourceInfo
        self.fields = fields
        super.init()
    }

    /// The coordinate, valid if ``horizontalAccuracy`` is not negative.
    open var coordinate: CLLocationCoordinate2D { self.fields.coordinate }
    /// The altitude above mean sea level, in meters, valid if ``verticalAccuracy`` is not negative.
    open var altitude: CLLocationDistance { self.fields.altitude }
    /// The altitude above the WGS 84 ellipsoid, in meters; 0 if the receiver does not report it.
    open var ellipsoidalAltitude: CLLocationDistance { self.fields.ellipsoidalAltitude }
    /// The radius of uncertainty of the coordinate, in meters; negative if the coordinate is invalid.
    open var horizontalAccuracy: CLLocationAccuracy { self.fields.horizontalAccuracy }
    /// The accuracy of the altitude, in meters; negative if the altitude is invalid.
    open var verticalAccuracy: CLLocationAccuracy { self.fields.verticalAccuracy }
    /// The direction of travel, in degrees clockwise from true north; negative if it is invalid.
    open var course: CLLocationDirection { self.fields.course }
    /// The accuracy of the course, in degrees; negative if the course is invalid.
    open var courseAccuracy: CLLocationDirectionAccuracy { self.fields.courseAccuracy }
    /// The speed, in meters per second; negative if it is invalid.
    open var speed: CLLocationSpeed { self.fields.speed }
    /// The accuracy of the speed, in meters per second; negative if the speed is invalid.
    open var speedAccuracy: CLLocationSpeedAccuracy { self.fields.speedAccuracy }
    /// The time of the measurement.
    ///
    /// A service can deliver a location that was measured earlier: check its age.
    open var timestamp: Date { self.fields.timestamp }
    /// The floor of the building, or `nil` if it is unknown.
    open var floor: CLFloor? { self.fields.floor }
    /// Information about the source of the location.
    ///
    /// It is never `nil`. A recording that locationd plays counts as software.
    open var sourceInformation: CLLocationSourceInformation? {
        unsafe self.fields.sourceInformation ?? Self.ofTheDevice
    }

    // The object is immutable.
    private nonisolated(unsafe) static let ofTheDevice = CLLocationSourceInformation()

    /// Returns the distance to another location, in meters.
    ///
    /// The distance is the length of the shortest path along the WGS 84 ellipsoid; altitudes have no influence. It is
    /// NaN if one of the coordinates is not on Earth.
    ///
    /// - Parameter location: the other location.
    /// - Returns: the distance.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        self.coordinate.metersAlongGeodesic(to: location.coordinate)
    }

    /// Returns the distance to another location, in meters.
    @available(*, deprecated, renamed: "distance(from:)")
    open func getDistanceFrom(_ location: CLLocation) -> CLLocationDistance {
        self.distance(from: location)
    }

    /// A textual representation of the location.
    ///
    /// It contains the coordinate: keep it out of logs.
    open override var description: String {
        let accuracy = String(format: "%.2f", self.horizontalAccuracy)
        let motion = String(format: "speed %.2f mps / course %.2f", self.speed, self.course)
        return "<\(self.coordinate.text)> +/- \(accuracy)m (\(motion)) @ \(self.timestamp)"
    }

    /// Returns the location itself, since it is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// A Boolean value that indicates that the class supports secure coding.
    open class var supportsSecureCoding: Bool { true }

    /// Creates a location from an archive.
    ///
    /// Archives from Apple's devices are not read.
    ///
    /// - Parameter coder: the archive.
    public required init?(coder: NSCoder) {
        guard let fields = coder.read(Fields.init(from:)) else { return nil }
        self.fields = fields
        super.init()
    }

    /// Writes the location to an archive.
    open func encode(with coder: NSCoder) {
        coder.write(self.fields.coordinate)
        coder.write(self.fields.timestamp, "timestamp")
        for (key, value) in Fields.numbers { coder.write(self.fields[keyPath: value], key) }
        if let floor = self.fields.floor { coder.write(Double(floor.level), "floor") }
        self.fields.sourceInformation?.encode(with: coder)
    }
}

extension CLLocation.Fields {
    fileprivate init(
        _ coordinate: CLLocationCoordinate2D,
        _ altitude: CLLocationDistance,
        _ horizontalAccuracy: CLLocationAccuracy,
        _ verticalAccuracy: CLLocationAccuracy,
        _ timestamp: Date
    ) {
        self.init(timestamp: timestamp)
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
    }

    /// The plain numbers, in the form in which they are archived.
    fileprivate static var numbers: [(key: String, value: WritableKeyPath<Self, Double>)] {
        [
            ("altitude", \.altitude), ("ellipsoidalAltitude", \.ellipsoidalAltitude),
            ("horizontalAccuracy", \.horizontalAccuracy), ("verticalAccuracy", \.verticalAccuracy),
            ("course", \.course), ("courseAccuracy", \.courseAccuracy),
            ("speed", \.speed), ("speedAccuracy", \.speedAccuracy),
        ]
    }

    fileprivate init(from coder: NSCoder) throws {
        self.init()
        self.coordinate = try coder.coordinate()
        self.timestamp = try coder.date("timestamp")
        for (key, value) in Self.numbers { self[keyPath: value] = try coder.number(key) }
        self.floor = try coder.ifPresent("floor") { CLFloor(level: try coder.integer($0)) }
        if coder.containsValue(forKey: "simulated") {
            self.sourceInformation = CLLocationSourceInformation(coder: coder)
        }
    }
}
