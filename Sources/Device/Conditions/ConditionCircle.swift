public import WhereaboutsGeodesy

/// The circle of a condition, in the integers that decisions are made on (ADR 0003).
public struct ConditionCircle: Sendable, Hashable {
    /// The longest radius in millimetres: half around the Earth, so that the circle contains the whole Earth.
    public static let radiusMillimetersMax: Int64 = 20_004_000_000

    /// The centre.
    public let center: QuantizedCoordinate
    /// The radius in millimetres, 1…``radiusMillimetersMax``.
    public let radius: Int64

    /// Creates a circle; nil when the radius is impossible.
    ///
    /// - Parameters:
    ///   - center: the centre.
    ///   - radius: in millimetres, 1…``radiusMillimetersMax``.
    public init?(center: QuantizedCoordinate, radius: Int64) {
        guard (1...Self.radiusMillimetersMax).contains(radius) else { return nil }
        self.center = center
        self.radius = radius
    }

    /// Creates a circle, and clamps a radius that is impossible.
    public init(center: QuantizedCoordinate, clamping radius: Int64) {
        self.center = center
        self.radius = min(max(radius, 1), Self.radiusMillimetersMax)
    }

    /// Returns the distance from the centre to a point along the ellipsoid, in millimetres.
    public func distance(to point: QuantizedCoordinate) -> Int64 {
        Geodesic.millimeters(from: self.center, to: point)
    }

    /// Returns the distance from the centre to a point in millimetres.
    ///
    /// A distance beyond the limit may be returned too short, but still beyond the limit.
    func distance(to point: QuantizedCoordinate, upTo limit: Int64) -> Int64 {
        Geodesic.millimeters(from: self.center, to: point, upTo: limit)
    }

    /// Returns whether a point is inside or on the boundary.
    public func contains(_ point: QuantizedCoordinate) -> Bool {
        self.distance(to: point, upTo: self.radius) <= self.radius
    }
}
