public import WhereaboutsGeodesy

/// The circular conditions of a device, over all its apps, each with its belief; returns crossings.
///
/// A fix concerns a circle if it lies inside, if the device was inside before, or if the circle is undecided. A
/// scan over all circles finds them: an app has 20, and a device a few hundred. Conditions are independent: overlap and
/// nesting have no effect.
///
/// The order of crossings depends only on the earlier calls; sort the crossings before their delivery.
public struct CircularConditions<Key: Hashable & Sendable>: Sendable, Hashable {
    /// A crossing of one condition's boundary.
    public struct Crossing: Sendable {
        /// The condition.
        public let key: Key
        /// The side the device is on now.
        public let side: Side
        /// The evidence that decided.
        public let grounds: Belief.Grounds
    }

    /// Everything but the keys: generic code would be slower, since it is not specialised for the type of the keys.
    private var beliefs: CircularBeliefs
    private var keys: ContiguousArray<Key> = []
    private var slots: [Key: Int] = [:]

    /// Creates an empty set.
    public init(policy: BeliefPolicy) {
        self.beliefs = CircularBeliefs(policy: policy)
    }

    /// The numbers.
    public var policy: BeliefPolicy { self.beliefs.policy }

    /// How many conditions there are.
    public var count: Int { self.keys.count }

    /// The belief on a condition; nil for an unknown key.
    public subscript(key: Key) -> Belief? { self.slots[key].map { self.beliefs[$0] } }

    /// Adds a condition, or replaces the condition of that key.
    ///
    /// - Parameters:
    ///   - key: the key of the condition.
    ///   - circle: the circle of the condition.
    ///   - belief: the saved or assumed belief.
    public mutating func add(_ key: Key, circle: ConditionCircle, belief: Belief) {
        self.remove(key)
        self.slots[key] = self.keys.count
        self.keys.append(key)
        self.beliefs.add(circle, belief: belief)
    }

    /// Removes a condition; ignored for an unknown key.
    public mutating func remove(_ key: Key) {
        guard let slot = self.slots.removeValue(forKey: key), let last = self.keys.popLast() else { return }
        self.beliefs.remove(slot)
        guard last != key else { return }
        self.keys[slot] = last
        self.slots[last] = slot
    }

    /// Records a fix.
    ///
    /// - Parameter evidence: the fix, as rated by the ``Trail``.
    /// - Returns: the crossings.
    public mutating func sightingArrived(_ evidence: Evidence) -> [Crossing] {
        // A separate statement: inside the expression that reads the keys, the beliefs would be shared and copied whole.
        let crossings = self.beliefs.sightingArrived(evidence)
        return crossings.map { Crossing(key: self.keys[$0.slot], side: $0.side, grounds: $0.grounds) }
    }

    /// Returns the distance to the nearest boundary in millimetres, for ``LookAhead``.
    ///
    /// At most 50 km, even if the distance is longer.
    public func nearestBoundary(to point: QuantizedCoordinate) -> Int64 { self.beliefs.nearestBoundary(to: point) }
}
