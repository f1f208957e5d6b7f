public import WhereaboutsGeodesy

/// The middle of nearby points, updated with each point.
public struct Middle: Sendable, Hashable {
    /// The first point.
    public let first: QuantizedCoordinate
    // The sums of the offsets from the first point. `Int64` suffices for a point each second for a century, each half
    // an Earth away.
    private var north: Int64 = 0
    private var east: Int64 = 0
    private var count: Int64 = 1

    /// Begins with a point.
    public init(_ first: QuantizedCoordinate) {
        self.first = first
    }

    /// Adds a point.
    public mutating func add(_ point: QuantizedCoordinate) {
        self.north += Int64(point.latitude) - Int64(self.first.latitude)
        self.east += Self.shorter(Int64(point.longitude) - Int64(self.first.longitude))
        self.count += 1
    }

    /// The middle of all points.
    public var point: QuantizedCoordinate {
        QuantizedCoordinate(
            latitude: Int(Int64(self.first.latitude) + self.north / self.count),
            longitude: Int(Self.shorter(Int64(self.first.longitude) + self.east / self.count))
        )
    }

    /// Returns a difference of longitudes as the shorter way around the Earth.
    private static func shorter(_ units: Int64) -> Int64 {
        if units >= 1_800_000_000 { return units - 3_600_000_000 }
        return units < -1_800_000_000 ? units + 3_600_000_000 : units
    }
}
