/// A plane that touches the ellipsoid at a point, with metres to the east and to the north.
///
/// Errors are below a centimetre within 2 km, up to 70° of latitude; at a pole, east is undefined.
public struct LocalPlane: Sendable, Hashable {
    /// The point at which the plane touches the ellipsoid.
    public let origin: QuantizedCoordinate
    private let eastPerUnit: Double
    private let northPerUnit: Double

    /// Creates the plane that touches the ellipsoid at a point.
    public init(at origin: QuantizedCoordinate) {
        self.origin = origin
        let azimuth = Azimuth(degrees: origin.coordinate.latitude)
        // The radii of curvature across and along the meridian.
        let squared = 1 - Ellipsoid.e2 * azimuth.sine * azimuth.sine
        let across = Ellipsoid.a / squared.squareRoot()
        let along = across * (1 - Ellipsoid.e2) / squared
        let unit = Double.pi / 180 / Double(QuantizedCoordinate.unitsPerDegree)
        // Round to 1e-12 m, so that differences between mathematics libraries do not change decisions. The minimum is for the poles.
        self.eastPerUnit = max((across * azimuth.cosine * unit * 1e12).rounded() / 1e12, 1e-9)
        self.northPerUnit = (along * unit * 1e12).rounded() / 1e12
    }

    /// The vector to a point in metres, the shorter way around the Earth.
    public func vector(to point: QuantizedCoordinate) -> PlaneVector {
        PlaneVector(
            east: Double(Self.shorter(Int(point.longitude) - Int(self.origin.longitude))) * self.eastPerUnit,
            north: Double(Int(point.latitude) - Int(self.origin.latitude)) * self.northPerUnit
        )
    }

    /// The point at the end of a vector in metres; a vector that passes a pole ends at the pole.
    public func point(at vector: PlaneVector) -> QuantizedCoordinate {
        let (quarter, circle) = (QuantizedCoordinate.unitsPerCircle / 4, QuantizedCoordinate.unitsPerCircle)
        let north = (vector.north / self.northPerUnit).rounded()
        let east = (vector.east / self.eastPerUnit).rounded().truncatingRemainder(dividingBy: Double(circle))
        let latitude = Int(self.origin.latitude) + Int(max(min(north, Double(circle)), Double(-circle)))
        return QuantizedCoordinate(
            latitude: max(min(latitude, quarter), -quarter),
            longitude: Self.shorter(Int(self.origin.longitude) + Int(east))
        )
    }

    /// Returns a difference of longitudes as the shorter way around the Earth.
    private static func shorter(_ units: Int) -> Int {
        let (circle, half) = (QuantizedCoordinate.unitsPerCircle, QuantizedCoordinate.unitsPerCircle / 2)
        let rest = units % circle
        if rest >= half { return rest - circle }
        return rest < -half ? rest + circle : rest
    }
}
