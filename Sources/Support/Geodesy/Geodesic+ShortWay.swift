extension Geodesic {
    /// The longest side, north or east, of a path that counts as straight, in metres.
    private static let straightReach = 2000.0
    /// The most units of latitude in such a side: a degree of the meridian has at least 110.6 km.
    private static let straightReachUnits = 180_900
    /// The latitude up to which such a path is within 0.1 mm of the ellipsoid's, in units of 1e-7°.
    private static let straightLatitude = 700_000_000

    /// Returns the length of the shortest path between two points, in whole millimetres.
    ///
    /// A way of up to 2 km is reckoned in the plane that touches the Earth half way: the mid-latitude formula, which is off by the square
    /// of the way's angle, times tan² φ, over 24. Up to 70° of latitude that is less than 0.1 mm. All others are geodesics, which take ten
    /// times as long.
    ///
    /// - Parameters:
    ///   - from: the first point.
    ///   - to: the second point.
    /// - Returns: millimetres, to nearest.
    public static func millimeters(from: QuantizedCoordinate, to: QuantizedCoordinate) -> Int64 {
        self.straightWay(from: from, to: to)
            ?? self.inverse(from: from.coordinate, to: to.coordinate).distance.millimeters
    }

    /// Returns the length of the shortest path between two points, or a shorter length that also exceeds a limit.
    ///
    /// For those who ask only how far it is within a reach: two points whose parallels are further apart need no geodesic.
    ///
    /// - Parameters:
    ///   - from: the first point.
    ///   - to: the second point.
    ///   - limit: in millimetres; up to it the length is exact.
    /// - Returns: millimetres, to nearest.
    public static func millimeters(from: QuantizedCoordinate, to: QuantizedCoordinate, upTo limit: Int64) -> Int64 {
        // 11.057 mm are a unit of the meridian at the equator, where degrees are shortest: a(1 − e²) of WGS-84, rounded down.
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
