public import Foundation

/// A measured position, with how well it is known and when it was measured.
open class CLLocation: NSObject, @unchecked Sendable {
    // Unchecked, because the class is open as Apple's is; every stored property is immutable.
    private let storedCoordinate: CLLocationCoordinate2D
    private let storedAltitude: CLLocationDistance
    private let storedHorizontalAccuracy: CLLocationAccuracy
    private let storedVerticalAccuracy: CLLocationAccuracy
    private let storedCourse: CLLocationDirection
    private let storedCourseAccuracy: CLLocationDirectionAccuracy
    private let storedSpeed: CLLocationSpeed
    private let storedSpeedAccuracy: CLLocationSpeedAccuracy
    private let storedTimestamp: Date

    /// Creates a location of which only the coordinate is known, measured now.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
            altitude: 0,
            horizontalAccuracy: 0,
            verticalAccuracy: -1,
            timestamp: Date()
        )
    }

    /// Creates a location of something that may not move.
    public convenience init(
        coordinate: CLLocationCoordinate2D,
        altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy,
        timestamp: Date
    ) {
        self.init(
            coordinate: coordinate,
            altitude: altitude,
            horizontalAccuracy: hAccuracy,
            verticalAccuracy: vAccuracy,
            course: -1,
            speed: -1,
            timestamp: timestamp
        )
    }

    /// Creates a location of something that moves.
    public convenience init(
        coordinate: CLLocationCoordinate2D,
        altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy,
        course: CLLocationDirection,
        speed: CLLocationSpeed,
        timestamp: Date
    ) {
        self.init(
            coordinate: coordinate,
            altitude: altitude,
            horizontalAccuracy: hAccuracy,
            verticalAccuracy: vAccuracy,
            course: course,
            courseAccuracy: -1,
            speed: speed,
            speedAccuracy: -1,
            timestamp: timestamp
        )
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
        self.storedCoordinate = coordinate
        self.storedAltitude = altitude
        self.storedHorizontalAccuracy = hAccuracy
        self.storedVerticalAccuracy = vAccuracy
        self.storedCourse = course
        self.storedCourseAccuracy = courseAccuracy
        self.storedSpeed = speed
        self.storedSpeedAccuracy = speedAccuracy
        self.storedTimestamp = timestamp
        super.init()
    }

    /// The position.
    open var coordinate: CLLocationCoordinate2D { self.storedCoordinate }
    /// Metres above mean sea level; meaningless while ``verticalAccuracy`` is negative.
    open var altitude: CLLocationDistance { self.storedAltitude }
    /// The radius of uncertainty of ``coordinate`` in metres; negative when the coordinate is invalid.
    open var horizontalAccuracy: CLLocationAccuracy { self.storedHorizontalAccuracy }
    /// The uncertainty of ``altitude`` in metres; negative when the altitude is invalid.
    open var verticalAccuracy: CLLocationAccuracy { self.storedVerticalAccuracy }
    /// The direction of travel in degrees from true north; negative when invalid.
    open var course: CLLocationDirection { self.storedCourse }
    /// The uncertainty of ``course`` in degrees; negative when invalid.
    open var courseAccuracy: CLLocationDirectionAccuracy { self.storedCourseAccuracy }
    /// The speed in metres a second; negative when invalid.
    open var speed: CLLocationSpeed { self.storedSpeed }
    /// The uncertainty of ``speed`` in metres a second; negative when invalid.
    open var speedAccuracy: CLLocationSpeedAccuracy { self.storedSpeedAccuracy }
    /// When the position was measured.
    open var timestamp: Date { self.storedTimestamp }
}
