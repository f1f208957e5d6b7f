extension Geodesic {
    /// The longest north or east component of a path that is treated as straight, in metres.
    private static let straightReach = 2000.0
    /// The maximum number of units of latitude in such a component: a degree of latitude has at least 110.6 km.
    private static let straightReachUnits = 180_900
    /// The highest latitude, in units of 1e-7°, at which a straight path is within 0.1 mm of the geodesic.
    private static let straightLatitude = 700_000_000

    /// Returns the length of the shortest path between two points, in whole millimetres.
    ///
    /// A path of up to 2 km is computed in the plane that touches the Earth at its middle, by the mid-latitude formula.
    /// Its relative error is the square of the path's angle, times tan² φ, over 24. Up to 70° of latitude that is less
    /// than 0.1 mm. Longer paths are computed as geodesics, which takes ten times as long.
    ///
    /// - Parameters:
    ///   - from: the first point.
    ///   - to: the second point.
    /// - Returns: the length, rounded to the nearest millimetre.
    public static func millimeters(from: QuantizedCoordinate, to: QuantizedCoordinate) -> Int64 {
        self.straightWay(from: from, to: to)
            ?? self.inverse(from: from.coordinate, to: to.coordinate).distance.millimeters
    }

    /// Returns the length of the shortest path between two points, or a shorter length that also exceeds a limit.
    ///
    /// This is faster if only lengths up to the limit matter: a large difference of latitude needs no geodesic.
    ///
    /// - Parameters:
    ///   - from: the first point.
    ///   - to: the second point.
    ///   - limit: the limit in millimetres; lengths up to it are exact.
    /// - Returns: the length, rounded to the nearest millimetre.
    public static func millimeters(from: QuantizedCoordinate, to: QuantizedCoordinate, upTo limit: Int64) -> Int64 {
        // A unit of latitude has at least 11.057 mm, at the equator: a(1 − e²) of WGS-84, rounded down.
        let north = abs(Int64(from.latitude) - Int64(to.latitude)) * 11_057 / 1000
        return north > limit ? north : self.millimeters(from: from, to: to)
    }

    private static func straightWay(from: QuantizedCoordinate, to: QuantizedCoordinate) -> Int64? {
        let (start, end) = (Int(from.latitude), Int(to.latitude))
        let middle = (start + end) / 2
        guard abs(end - start) <= self.straightReachUnits, abs(middle) <= self.straightLatitude else { return nil }
        let plane = LocalPlane(at: QuantizedCoordinate(latitude: middle, longitude: Int(from.longitude)))
        let (first, last) = (plane.vector(to: from), plane.vector(to: to))
        let (east, north) = (last.east - first.east, last.north - first.north)
        guard abs(east) <= self.straightReach, abs(north) <= self.straightReach else { return nil }
        return Meters(hypotenuse(east, north)).millimeters
    }
}
