public import WhereaboutsGeodesy

/// A place where the device was seen, and whether the device is still near it.
///
/// The anchor holds a belief about the circle around the place (``Belief``): neither a single wrong fix nor a fix with
/// an accuracy worse than the circle's width shows that the device left.
public struct Anchor: Sendable, Hashable {
    /// The circle around the place.
    public let circle: ConditionCircle
    private var belief = Belief(side: .inside)

    /// Creates an anchor where the device was seen.
    ///
    /// - Parameters:
    ///   - point: the position of the device.
    ///   - radius: the radius in millimetres; an impossible radius is clamped.
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
