/// A point rounded to 1e-7 degrees (1.1 cm or less), for use in decisions.
///
/// Equal inputs give equal values on every machine, even if mathematics libraries differ in the last digits.
public struct QuantizedCoordinate: Sendable, Hashable {
    /// Units in a degree.
    static let unitsPerDegree = 10_000_000
    /// Units in a full circle.
    static let unitsPerCircle = 360 * Self.unitsPerDegree

    /// The latitude in 1e-7 degrees, −900,000,000…900,000,000.
    public let latitude: Int32
    /// The longitude in 1e-7 degrees, −1,800,000,000..<1,800,000,000; 180° east is stored as 180° west.
    public let longitude: Int32

    /// Rounds a point.
    ///
    /// - Parameter coordinate: the point.
    public init(_ coordinate: GeodeticCoordinate) {
        let units = Double(Self.unitsPerDegree)
        self.init(
            latitude: Int((coordinate.latitude * units).rounded()),
            longitude: Int((coordinate.longitude * units).rounded())
        )
    }

    /// Creates a point from units.
    ///
    /// - Parameters:
    ///   - latitude: the latitude in 1e-7 degrees, −900,000,000…900,000,000.
    ///   - longitude: the longitude in 1e-7 degrees, −1,800,000,000…1,800,000,000.
    public init(latitude: Int, longitude: Int) {
        let half = Self.unitsPerCircle / 2
        precondition(
            (-half / 2...half / 2).contains(latitude) && (-half...half).contains(longitude),
            "a point must be on the Earth, got \(latitude) and \(longitude) units of 1e-7°"
        )
        self.latitude = Int32(latitude)
        self.longitude = Int32(longitude >= half ? longitude - Self.unitsPerCircle : longitude)
    }

    /// The point in degrees.
    public var coordinate: GeodeticCoordinate {
        let units = Double(Self.unitsPerDegree)
        return GeodeticCoordinate(Double(self.latitude) / units, Double(self.longitude) / units)
    }
}
