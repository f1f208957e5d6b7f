public import Geodesy
public import Vocabulary

/// The circular conditions of a device, over all its apps, each with its belief; crossings come out.
///
/// A fix concerns only the circles that contain it, those the device is believed to be inside of, and those that are not
/// decided: they are found by a ``CircleIndex`` and in a list, so that a million others cost nothing. Each condition is
/// decided on its own: overlap and nesting mean nothing.
///
/// Crossings are told in an order that depends on nothing but the calls made before; sort them where they are delivered.
public struct CircularConditions<Key: Hashable & Sendable>: Sendable, Hashable {
    /// A crossing of one condition's boundary.
    public struct Crossing: Sendable {
        /// The condition.
        public let key: Key
        /// The side the device is on now.
        public let side: Side
        /// The reason.
        public let grounds: Belief.Grounds
    }

    private struct Record: Sendable, Hashable {
        let key: Key
        let circle: ConditionCircle
        var belief: Belief
        /// The place in ``attended``; nil when only a fix within the circle concerns it.
        var attention: Int?
    }

    /// The numbers.
    public let policy: BeliefPolicy
    private var records: ContiguousArray<Record?> = []
    private var free: [Int32] = []
    private var slots: [Key: Int32] = [:]
    private var attended: [Int32] = []
    private var index = CircleIndex()
    /// The instant to call ``agreementTimedOut(now:)`` at, or an earlier one; nil when nothing is awaited.
    public private(set) var deadline: EngineInstant?

    /// Creates an empty set.
    public init(policy: BeliefPolicy) {
        self.policy = policy
    }

    /// How many conditions there are.
    public var count: Int { self.slots.count }

    /// Whether a first fix awaits a second one somewhere: the receiver is to stay on.
    public var isAwaiting: Bool { self.deadline != nil }

    /// The belief on a condition; nil when there is none of that key.
    public subscript(key: Key) -> Belief? { self.slots[key].flatMap { self.records[Int($0)]?.belief } }

    /// Adds a condition, or replaces the one of that key.
    ///
    /// - Parameters:
    ///   - key: its name.
    ///   - circle: its circle.
    ///   - belief: the kept or assumed belief.
    public mutating func add(_ key: Key, circle: ConditionCircle, belief: Belief) {
        self.remove(key)
        let slot: Int32
        if let used = self.free.popLast() {
            slot = used
        } else {
            slot = Int32(self.records.count)
            self.records.append(nil)
        }
        self.records[Int(slot)] = Record(key: key, circle: circle, belief: belief, attention: nil)
        self.slots[key] = slot
        self.index.insert(circle, slot: slot)
        self.attend(slot)
        self.deadline.lower(to: belief.awaited?.until)
    }

    /// Removes a condition; ignored when there is none of that key.
    public mutating func remove(_ key: Key) {
        guard let slot = self.slots.removeValue(forKey: key) else { return }
        self.neglect(slot)
        self.index.remove(slot: slot)
        self.records[Int(slot)] = nil
        self.free.append(slot)
    }

    /// Records a fix.
    ///
    /// - Parameter evidence: the fix, as the ``Trail`` judged it.
    /// - Returns: the crossings.
    public mutating func sightingArrived(_ evidence: Evidence) -> [Crossing] {
        var concerned = self.attended
        self.index.forEachSlot(about: evidence.sighting.point) { slot in
            if self.records[Int(slot)]?.attention == nil { concerned.append(slot) }
        }
        var crossings: [Crossing] = []
        self.deadline = nil
        for slot in concerned {
            guard var record = self.records[Int(slot)] else { continue }
            let before = record.belief
            switch record.belief.sightingArrived(evidence, of: record.circle, policy: self.policy) {
            case .unchanged: break
            case .awaitsAgreement(let until): self.deadline.lower(to: until)
            case .crossed(let side, let grounds):
                crossings.append(Crossing(key: record.key, side: side, grounds: grounds))
            }
            guard record.belief != before else { continue }
            self.records[Int(slot)] = record
            self.attend(slot)
        }
        return crossings
    }

    /// Records that the wait for second fixes is over; legal at any time.
    ///
    /// - Parameter now: the instant.
    /// - Returns: the crossings.
    public mutating func agreementTimedOut(now: EngineInstant) -> [Crossing] {
        guard let deadline = self.deadline, now >= deadline else { return [] }
        var crossings: [Crossing] = []
        self.deadline = nil
        for slot in self.attended {
            guard var record = self.records[Int(slot)], record.belief.awaited != nil else { continue }
            switch record.belief.agreementTimedOut(now: now) {
            case .unchanged: self.deadline.lower(to: record.belief.awaited?.until)
            case .crossed(let side, let grounds):
                crossings.append(Crossing(key: record.key, side: side, grounds: grounds))
            }
            self.records[Int(slot)] = record
            self.attend(slot)
        }
        return crossings
    }

    /// Returns the way to the nearest boundary in millimetres, or a lower bound of it, for ``LookAhead``.
    ///
    /// At most 50 km: a longer way is told as that.
    public func nearestBoundary(to point: QuantizedCoordinate) -> Int64 { self.index.nearestBoundary(to: point) }

    /// Returns how many circles contain a point, whatever is believed.
    package func count(containing point: QuantizedCoordinate) -> Int {
        var count = 0
        self.index.forEachSlot(containing: point) { _ in count += 1 }
        return count
    }

    // MARK: Attention

    /// Puts a condition on the list, or takes it off, as its belief demands.
    private mutating func attend(_ slot: Int32) {
        guard let record = self.records[Int(slot)] else { return }
        guard record.belief.side != .outside || record.belief.awaited != nil else { return self.neglect(slot) }
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
