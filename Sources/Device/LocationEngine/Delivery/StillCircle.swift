internal import WhereaboutsConditions
internal import WhereaboutsGeodesy

/// The fixes near the first one, and their middle.
///
/// The first fix of a stay may be the last of a walk, far from where the device stops; the middle of all fixes is not.
struct StillCircle: Sendable, Hashable {
    private var points: Middle
    private let uncertainty: Int32

    init(_ fix: Fix) {
        self.points = Middle(fix.point)
        self.uncertainty = fix.horizontalAccuracy ?? 0
    }

    /// The first fix.
    var first: QuantizedCoordinate { self.points.first }

    /// Adds a fix.
    ///
    /// A fix that is less certain than the first one and the radius does not move the middle.
    mutating func add(_ fix: Fix, radius: Int32) {
        guard (fix.horizontalAccuracy ?? 0) <= max(self.uncertainty, radius) else { return }
        self.points.add(fix.point)
    }

    /// The middle of the fixes.
    var middle: QuantizedCoordinate { self.points.point }
}
