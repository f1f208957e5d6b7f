internal import WhereaboutsGeodesy

/// The side of a circle's boundary on which the device counts as being.
///
/// How certain the other side must be depends on the basis of the ``Evidence``: a fix that measured motion explains
/// needs ``BeliefPolicy/entering`` or ``BeliefPolicy/leaving``, the newest fix alone ``BeliefPolicy/single``, and the
/// average of independent fixes ``BeliefPolicy/average``.
public struct Belief: Sendable, Hashable {
    /// The side; nil until it is certain.
    public private(set) var side: Side?

    /// Creates a belief.
    ///
    /// - Parameter side: the side as saved before a restart, or as an app assumes it; nil when it is not known.
    public init(side: Side?) {
        self.side = side
    }

    /// The reason for a crossing.
    public enum Grounds: Sendable, Hashable, CaseIterable {
        /// The speed that the receiver measured explains the distance from the previous fix.
        case motion
        /// The newest fix, which no other contradicts.
        case fix
        /// The average of independent fixes.
        case average
    }

    /// Actions returned by ``sightingArrived(_:of:policy:)``.
    public enum OnSighting: Sendable, Hashable {
        case unchanged
        /// Store the new side, then report it.
        case crossed(Side, Grounds)
    }

    /// Records a fix.
    ///
    /// - Parameters:
    ///   - evidence: the fix, as rated by the ``Trail``.
    ///   - circle: the condition's circle.
    ///   - policy: the numbers.
    /// - Returns: the crossing, if there is one.
    public mutating func sightingArrived(
        _ evidence: Evidence,
        of circle: ConditionCircle,
        policy: BeliefPolicy
    ) -> OnSighting {
        let fix = evidence.sighting
        let (seen, grounds): (Side?, Grounds)
        switch evidence.basis {
        case .doubt: return .unchanged
        case .motion:
            let chance = Chance(circle, fix.point, sigma: fix.sigma)
            (seen, grounds) = (chance.side(entering: policy.entering, leaving: policy.leaving), .motion)
        case .fix:
            let chance = Chance(circle, fix.point, sigma: fix.sigma)
            (seen, grounds) = (chance.side(entering: policy.single, leaving: 1000 - policy.single), .fix)
        case .average(let point, let sigma):
            let chance = Chance(circle, point, sigma: sigma)
            (seen, grounds) = (chance.side(entering: policy.average, leaving: 1000 - policy.average), .average)
        }
        guard let seen, seen != self.side else { return .unchanged }
        self.side = seen
        return .crossed(seen, grounds)
    }
}

extension Chance {
    fileprivate init(_ circle: ConditionCircle, _ point: QuantizedCoordinate, sigma: Int64) {
        let distance = circle.distance(to: point, upTo: Self.reach(circle.radius, sigma: sigma))
        self.init(distance: distance, radius: circle.radius, sigma: sigma)
    }

    /// The side that is certain enough; nil if neither is.
    fileprivate func side(entering: Int, leaving: Int) -> Side? {
        self.least >= entering ? .inside : self.most <= leaving ? .outside : nil
    }
}
