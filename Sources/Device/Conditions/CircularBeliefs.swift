internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The beliefs about circles, each in a slot: those of ``CircularConditions``, without their names.
struct CircularBeliefs: Sendable, Hashable {
    /// A crossing of the boundary of the circle in a slot.
    struct Crossing {
        let slot: Int32
        let side: Side
        let grounds: Belief.Grounds
    }

    private struct Record: Sendable, Hashable {
        let circle: ConditionCircle
        var belief: Belief
        /// The place in ``attended``; nil when only a fix within the circle concerns it.
        var attention: Int?
    }

    let policy: BeliefPolicy
    private var records: ContiguousArray<Record?> = []
    private var attended: [Int32] = []
    private var index = CircleIndex()

    init(policy: BeliefPolicy) {
        self.policy = policy
    }

    /// The belief on the circle in a slot; nil when there is none.
    subscript(slot: Int32) -> Belief? { self.records[Int(slot)]?.belief }

    /// Adds a circle in a slot that is not in use; slots are small and dense.
    mutating func add(_ slot: Int32, circle: ConditionCircle, belief: Belief) {
        while self.records.count <= Int(slot) { self.records.append(nil) }
        self.records[Int(slot)] = Record(circle: circle, belief: belief, attention: nil)
        self.index.insert(circle, slot: slot)
        self.attend(slot)
    }

    /// Removes the circle in a slot.
    mutating func remove(_ slot: Int32) {
        self.neglect(slot)
        self.index.remove(slot: slot)
        self.records[Int(slot)] = nil
    }

    /// Records a fix.
    mutating func sightingArrived(_ evidence: Evidence) -> [Crossing] {
        if evidence.basis == .doubt { return [] }
        var concerned = self.attended
        var place = evidence.sighting.point
        if case .average(let point, _) = evidence.basis { place = point }
        self.index.forEachSlot(about: place) { slot in
            if self.records[Int(slot)]?.attention == nil { concerned.append(slot) }
        }
        var crossings: [Crossing] = []
        for slot in concerned {
            guard var record = self.records[Int(slot)] else { continue }
            let action = record.belief.sightingArrived(evidence, of: record.circle, policy: self.policy)
            guard case .crossed(let side, let grounds) = action else { continue }
            crossings.append(Crossing(slot: slot, side: side, grounds: grounds))
            self.records[Int(slot)] = record
            self.attend(slot)
        }
        return crossings
    }

    /// Returns the way to the nearest boundary in millimetres, or a lower bound of it; at most 50 km.
    func nearestBoundary(to point: QuantizedCoordinate) -> Int64 { self.index.nearestBoundary(to: point) }

    /// Returns how many circles contain a point, whatever is believed.
    func count(containing point: QuantizedCoordinate) -> Int {
        var count = 0
        self.index.forEachSlot(containing: point) { _ in count += 1 }
        return count
    }

    // MARK: Attention

    /// Puts a condition on the list, or takes it off, as its belief demands.
    private mutating func attend(_ slot: Int32) {
        guard let record = self.records[Int(slot)] else { return }
        guard record.belief.side != .outside else { return self.neglect(slot) }
        guard record.attention == nil else { return }
        self.records[Int(slot)]?.attention = self.attended.count
        self.attended.append(slot)
    }

    private mutating func neglect(_ slot: Int32) {
        guard let place = self.records[Int(slot)]?.attention, let moved = self.attended.last else { return }
        self.attended[place] = moved
        self.records[Int(moved)]?.attention = place
        self.attended.removeLast()
        self.records[Int(slot)]?.attention = nil
    }
}
