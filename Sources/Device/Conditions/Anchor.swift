public import WhereaboutsGeodesy

/// A place where the device was seen, and whether it is still near it.
///
/// A belief on the circle around it (``Belief``): neither one stray fix nor one that is worse than the circle is wide tells that
/// the device left.
public struct Anchor: Sendable, Hashable {
    /// The place, and how far about it reaches.
    public let circle: ConditionCircle
    private var belief = Belief(side: .inside)

    /// Drops an anchor.
    ///
    /// - Parameters:
    ///   - point: where the device was seen.
    ///   - radius: in millimetres; what no circle can have becomes the nearest that one can.
    public init(at point: QuantizedCoordinate, radius: Int64) {
        self.circle = ConditionCircle(center: point, clamping: radius)
    }

    /// Records a fix.
    ///
    /// - Returns: whether the device left.
    public mutating func isLeft(by evidence: Evidence, policy: BeliefPolicy) -> Bool {
        self.belief.sightingArrived(evidence, of: self.circle, policy: policy) != .unchanged
    }
}
