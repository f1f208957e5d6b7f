public import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// A place that the device was seen at, and whether it is still about there.
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

    /// When to call ``agreementTimedOut(now:)``; nil: no fix awaits a second one.
    public var deadline: EngineInstant? { self.belief.awaited?.until }

    /// Actions returned by ``sightingArrived(_:policy:)`` and ``agreementTimedOut(now:)``.
    public enum OnSighting: Sendable, Hashable {
        /// Do nothing: it is there, or nobody can tell.
        case ignore
        /// Keep the receiver on until ``Anchor/deadline``.
        case awaitAgreement
        /// Drop another anchor: the device left.
        case leave
    }

    /// Records a fix.
    public mutating func sightingArrived(_ evidence: Evidence, policy: BeliefPolicy) -> OnSighting {
        switch self.belief.sightingArrived(evidence, of: self.circle, policy: policy) {
        case .unchanged: .ignore
        case .awaitsAgreement: .awaitAgreement
        case .crossed: .leave
        }
    }

    /// Records that the wait for a second fix is over; legal at any time.
    public mutating func agreementTimedOut(now: EngineInstant) -> OnSighting {
        switch self.belief.agreementTimedOut(now: now) {
        case .unchanged: .ignore
        case .crossed: .leave
        }
    }
}
