internal import WhereaboutsGeodesy

/// The beliefs of ``CircularConditions`` about circles, each in a slot instead of under a key.
struct CircularBeliefs: Sendable, Hashable {
    /// A crossing of the boundary of the circle in a slot.
    struct Crossing {
        let slot: Int
        let side: Side
        let grounds: Belief.Grounds
    }

    private struct Record: Sendable, Hashable {
        let circle: ConditionCircle
        let box: CircleBox
        var belief: Belief
    }

    let policy: BeliefPolicy
    private var records: ContiguousArray<Record> = []

    init(policy: BeliefPolicy) {
        self.policy = policy
    }

    /// The belief on the circle in a slot.
    subscript(slot: Int) -> Belief { self.records[slot].belief }

    /// Adds a circle in the slot after the last one.
    mutating func add(_ circle: ConditionCircle, belief: Belief) {
        self.records.append(Record(circle: circle, box: CircleBox(circle), belief: belief))
    }

    /// Removes the circle in a slot; the last circle moves to it.
    mutating func remove(_ slot: Int) {
        self.records.swapAt(slot, self.records.count - 1)
        self.records.removeLast()
    }

    mutating func sightingArrived(_ evidence: Evidence) -> [Crossing] {
        if evidence.basis == .doubt { return [] }
        var place = evidence.sighting.point
        if case .average(let point, _) = evidence.basis { place = point }
        var crossings: [Crossing] = []
        for slot in self.records.indices {
            // If the device is outside, only a fix inside can change the belief.
            guard self.records[slot].belief.side != .outside || self.records[slot].box.contains(place) else { continue }
            let circle = self.records[slot].circle
            let action = self.records[slot].belief.sightingArrived(evidence, of: circle, policy: self.policy)
            guard case .crossed(let side, let grounds) = action else { continue }
            crossings.append(Crossing(slot: slot, side: side, grounds: grounds))
        }
        return crossings
    }

    /// Returns the distance to the nearest boundary in millimetres, at most ``CircleBox/reach``.
    func nearestBoundary(to point: QuantizedCoordinate) -> Int64 {
        var nearest = CircleBox.reach
        for record in self.records where record.box.isNear(point, within: nearest) {
            let radius = record.circle.radius
            nearest = min(nearest, abs(record.circle.distance(to: point, upTo: radius + nearest) - radius))
        }
        return nearest
    }
}
