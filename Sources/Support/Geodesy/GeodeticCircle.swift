/// All points within a distance of a centre, along the ellipsoid.
public struct GeodeticCircle: Sendable, Hashable {
    /// The centre.
    public let center: GeodeticCoordinate
    /// The radius; not negative.
    public let radius: Meters

    /// Creates a circle.
    ///
    /// - Parameters:
    ///   - center: the centre.
    ///   - radius: the radius; not negative.
    public init(center: GeodeticCoordinate, radius: Meters) {
        precondition(radius.value >= 0, "a radius must be ≥ 0 m, got \(radius.value) m")
        self.center = center
        self.radius = radius
    }

    /// Returns whether a point is inside or on the edge, to the millimetre.
    ///
    /// - Parameter point: the point.
    /// - Returns: whether its distance from the centre is at most the radius.
    public func contains(_ point: GeodeticCoordinate) -> Bool {
        Geodesic.inverse(from: self.center, to: point).distance.millimeters <= self.radius.millimeters
    }
}
