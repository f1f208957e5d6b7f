package import WhereaboutsGeodesy

/// A spatial index of circles by slot: which contain a point, and how far the nearest boundary is.
///
/// A multi-level grid hash (``CellGrid``): add and remove in constant time, one cell a level for a point, nothing is
/// rebalanced. Three further grids hold the circles enlarged by a margin each: the circles within that reach of a point are
/// again one cell a level.
package struct CircleIndex: Sendable, Hashable {
    /// The margins of the grids that tell the nearest boundary, in millimetres.
    ///
    /// 500 m: a walk of five minutes. 50 km: half an hour on a motorway; beyond it, it is time to look anyway.
    static let margins: [Int64] = [500_000, 5_000_000, 50_000_000]
    /// The most circles that a search for the nearest boundary looks at for each margin.
    ///
    /// 256: a tenth of a millisecond. Beyond it the answer is the margin before, and the device looks sooner.
    static let searchMax = 256

    private var circles: ContiguousArray<ConditionCircle?> = []
    private var containing = CellGrid(margin: 0)
    private var reaching = Self.margins.map(CellGrid.init(margin:))

    /// Creates an empty index.
    package init() {}

    /// Enters a circle under a slot; slots are small and dense, their circles few or a million.
    package mutating func insert(_ circle: ConditionCircle, slot: Int32) {
        while self.circles.count <= Int(slot) { self.circles.append(nil) }
        precondition(self.circles[Int(slot)] == nil, "slot \(slot) has a circle")
        self.circles[Int(slot)] = circle
        self.containing.insert(circle, slot: slot)
        for index in self.reaching.indices { self.reaching[index].insert(circle, slot: slot) }
    }

    /// Takes out the circle of a slot; ignored when it has none.
    package mutating func remove(slot: Int32) {
        guard self.circles.indices.contains(Int(slot)), let circle = self.circles[Int(slot)] else { return }
        self.circles[Int(slot)] = nil
        self.containing.remove(circle, slot: slot)
        for index in self.reaching.indices { self.reaching[index].remove(circle, slot: slot) }
    }

    /// Calls with the slot of every circle that contains a point, and of some that do not.
    package func forEachSlot(about point: QuantizedCoordinate, _ body: (Int32) -> Void) {
        self.containing.forEachSlot(about: point) { slot in
            if self.circle(slot, near: point, margin: 0) != nil { body(slot) }
            return true
        }
    }

    /// Calls with the slot of every circle that contains a point, and with no others.
    package func forEachSlot(containing point: QuantizedCoordinate, _ body: (Int32) -> Void) {
        self.forEachSlot(about: point) { slot in
            if self.circles[Int(slot)]?.contains(point) == true { body(slot) }
        }
    }

    /// Returns the way to the nearest boundary in millimetres, or a lower bound of it.
    ///
    /// Exact up to the longest margin, unless more circles than ``searchMax`` are about.
    package func nearestBoundary(to point: QuantizedCoordinate) -> Int64 {
        var nearest = Int64.max
        var searched: Int64 = 0
        for grid in self.reaching {
            var count = 0
            grid.forEachSlot(about: point) { slot in
                count += 1
                guard let circle = self.circle(slot, near: point, margin: grid.margin) else {
                    return count < Self.searchMax
                }
                let way = circle.distance(to: point, upTo: circle.radius + grid.margin)
                nearest = min(nearest, abs(way - circle.radius))
                return count < Self.searchMax
            }
            if count >= Self.searchMax { return searched }
            searched = grid.margin
            if nearest <= searched { return nearest }
        }
        return min(nearest, searched)
    }

    /// The circle of a slot, or nil when its latitude alone tells that the point is beyond it.
    private func circle(_ slot: Int32, near point: QuantizedCoordinate, margin: Int64) -> ConditionCircle? {
        guard let circle = self.circles[Int(slot)] else { return nil }
        let north = abs(Int(point.latitude) - Int(circle.center.latitude))
        return north <= CellGrid.units(circle.radius + margin) ? circle : nil
    }
}
