/// A point on the WGS-84 ellipsoid.
public struct GeodeticCoordinate: Sendable, Hashable {
    /// The geographic latitude in degrees, north positive, −90…90.
    public let latitude: Double
    /// The longitude in degrees, east positive, −180…180.
    public let longitude: Double

    /// Creates a point; nil when the coordinates are out of range.
    ///
    /// - Parameters:
    ///   - latitude: degrees, −90…90.
    ///   - longitude: degrees; finite, reduced to −180…180.
    public init?(latitude: Double, longitude: Double) {
        guard latitude >= -90, latitude <= 90, longitude.isFinite else { return nil }
        self.init(latitude, longitude)
    }

    /// Creates a point from values that are known to be in range.
    init(_ latitude: Double, _ longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude.reducedDegrees
    }
}

extension Double {
    /// The same direction in −180…180; the remainder is slow and rarely needed.
    var reducedDegrees: Double { abs(self) <= 180 ? self : self.remainder(dividingBy: 360) }
}
