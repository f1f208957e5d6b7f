public import Foundation
internal import WhereaboutsGeodesy

/// A measured position, with how well it is known and when it was measured.
///
/// Nothing is checked: a location holds the numbers it was made with. A negative accuracy says that what it qualifies is
/// not known.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // Unchecked, because the class is open as Apple's is; the only stored property is immutable.
    private let fields: Fields

    /// The values of a location; the defaults say that nothing is known.
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

    /// Creates a location from all that can be known.
    package init(_ fields: Fields) {
        self.fields = fields
        super.init()
    }

    /// Creates a location that is not known, now.
    public override init() {
        self.fields = Fields()
        super.init()
    }

    // Each initializer is a designated one, as Apple's are: subclasses call any of them.

    /// Creates a location of which only the coordinate is known, measured now.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        var fields = Fields()
        fields.coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
        fields.horizontalAccuracy = 0
        self.fields = fields
        super.init()
    }

    /// Creates a location of something that may not move.
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

    /// Creates a location of something that moves.
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

    /// Creates a location of something that moves, with how well the movement is known.
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

    /// Creates a location of something that moves, with how well the movement is known and where all that comes from.
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

    /// The position.
    open var coordinate: CLLocationCoordinate2D { self.fields.coordinate }
    /// Metres above mean sea level; meaningless while ``verticalAccuracy`` is negative.
    open var altitude: CLLocationDistance { self.fields.altitude }
    /// Metres above the WGS-84 ellipsoid; 0 where the receiver does not tell.
    open var ellipsoidalAltitude: CLLocationDistance { self.fields.ellipsoidalAltitude }
    /// The radius of uncertainty of ``coordinate`` in metres; negative when the coordinate is invalid.
    open var horizontalAccuracy: CLLocationAccuracy { self.fields.horizontalAccuracy }
    /// The uncertainty of ``altitude`` in metres; negative when the altitude is invalid.
    open var verticalAccuracy: CLLocationAccuracy { self.fields.verticalAccuracy }
    /// The direction of travel in degrees from true north; negative when invalid.
    open var course: CLLocationDirection { self.fields.course }
    /// The uncertainty of ``course`` in degrees; negative when invalid.
    open var courseAccuracy: CLLocationDirectionAccuracy { self.fields.courseAccuracy }
    /// The speed in metres a second; negative when invalid.
    open var speed: CLLocationSpeed { self.fields.speed }
    /// The uncertainty of ``speed`` in metres a second; negative when invalid.
    open var speedAccuracy: CLLocationSpeedAccuracy { self.fields.speedAccuracy }
    /// When the position was measured.
    open var timestamp: Date { self.fields.timestamp }
    /// The storey of the building, where that is known.
    open var floor: CLFloor? { self.fields.floor }
    /// Where the location comes from; never nil, and without other knowledge the device itself.
    open var sourceInformation: CLLocationSourceInformation? {
        unsafe self.fields.sourceInformation ?? Self.ofTheDevice
    }

    // It never changes.
    private nonisolated(unsafe) static let ofTheDevice = CLLocationSourceInformation()

    /// Returns the length of the shortest path between two locations along the WGS-84 ellipsoid, in metres.
    ///
    /// Altitudes do not count. NaN when a coordinate is not on Earth.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        self.coordinate.metersAlongGeodesic(to: location.coordinate)
    }

    /// Returns the distance between two locations.
    @available(*, deprecated, renamed: "distance(from:)")
    open func getDistanceFrom(_ location: CLLocation) -> CLLocationDistance {
        self.distance(from: location)
    }

    /// A text for people; it holds the position.
    open override var description: String {
        let accuracy = String(format: "%.2f", self.horizontalAccuracy)
        let motion = String(format: "speed %.2f mps / course %.2f", self.speed, self.course)
        return "<\(self.coordinate.text)> +/- \(accuracy)m (\(motion)) @ \(self.timestamp)"
    }

    /// Returns the location itself, which never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Archives

    /// Whether archives can be checked for classes.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a location from an archive.
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

    /// The plain numbers, as they are archived.
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
