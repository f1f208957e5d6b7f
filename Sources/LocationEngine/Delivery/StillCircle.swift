internal import Geodesy

/// The fixes that stayed near the first of them, and their middle.
///
/// The first fix of a stay may be the last of a walk, far from where the device comes to rest; the middle of all of them is not.
struct StillCircle: Sendable, Hashable {
    /// The fix it began with.
    let first: QuantizedCoordinate
    private let uncertainty: Int32
    // The offsets of the others from the first, added up: a fix a second for a century, half around the Earth, fits.
    private var north: Int64 = 0
    private var east: Int64 = 0
    private var count: Int64 = 1

    /// Begins with a fix.
    init(_ fix: Fix) {
        self.first = fix.point
        self.uncertainty = fix.horizontalAccuracy ?? 0
    }

    /// Adds a fix; one that is more uncertain than the first, and than the radius, moves nothing.
    mutating func add(_ fix: Fix, radius: Int32) {
        guard (fix.horizontalAccuracy ?? 0) <= max(self.uncertainty, radius) else { return }
        let point = fix.point
        self.north += Int64(point.latitude) - Int64(self.first.latitude)
        self.east += Self.shorter(Int64(point.longitude) - Int64(self.first.longitude))
        self.count += 1
    }

    /// The middle of the fixes.
    var middle: QuantizedCoordinate {
        QuantizedCoordinate(
            latitude: Int(Int64(self.first.latitude) + self.north / self.count),
            longitude: Int(Self.shorter(Int64(self.first.longitude) + self.east / self.count))
        )
    }

    /// The same longitude, or the same way around, within half a circle.
    private static func shorter(_ units: Int64) -> Int64 {
        if units >= 1_800_000_000 { return units - 3_600_000_000 }
        return units < -1_800_000_000 ? units + 3_600_000_000 : units
    }
}
