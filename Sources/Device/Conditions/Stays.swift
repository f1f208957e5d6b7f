internal import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// Detects the device's stays: its arrivals and its departures.
///
/// ```
///             fix                 about there for the period
///   nowhere ──────▶ near(anchor) ────────────────────────────▶ staying(anchor)
///                     ▲  │ left: a new anchor at the device       │
///                     └──┴────────────────────────────────────────┘
/// ```
/// A walking device leaves one anchor after the other without a stay. Once the device stays, the anchor is the middle
/// of its fixes, because the first fix may be the last of a walk.
public struct Stays: Sendable, Hashable {
    /// A place that the device may stay at.
    struct Candidate: Sendable, Hashable {
        var anchor: Anchor
        var points: Middle
        /// When the device was first seen there, on both clocks.
        let since: EngineInstant
        let time: WallTime
        /// Whether the device was seen elsewhere before.
        let isArrivalKnown: Bool
    }

    enum State: Sendable, Hashable {
        /// The place is unknown; the payload says whether the device was seen to leave a place.
        case nowhere(hasMoved: Bool)
        /// Near this place, for less than the period.
        case near(Candidate)
        /// At this place, for the period or longer.
        case staying(Anchor, Stay)
    }

    private(set) var state: State
    private let policy: TravelPolicy
    private let beliefs: BeliefPolicy

    /// Starts without a stay, or with the last one, which was saved before a restart.
    public init(policy: TravelPolicy, beliefs: BeliefPolicy, keeping stay: Stay? = nil) {
        self.policy = policy
        self.beliefs = beliefs
        if let stay, stay.departure == nil {
            self.state = .staying(Anchor(at: stay.center, radius: policy.stayRadius), stay)
        } else {
            self.state = .nowhere(hasMoved: stay != nil)
        }
    }

    /// Actions returned by ``sightingArrived(_:at:)``.
    public enum OnSighting: Sendable, Hashable {
        case ignore
        /// Report that the device arrived.
        case arrive(Stay)
        case depart(Stay)
    }

    /// Records a fix.
    ///
    /// - Parameters:
    ///   - evidence: the fix, as rated by the ``Trail``.
    ///   - time: when the fix was measured, on the wall clock.
    /// - Returns: the arrival or departure, if there is one.
    public mutating func sightingArrived(_ evidence: Evidence, at time: WallTime) -> OnSighting {
        let (next, action) = self.next(evidence, time)
        self.state = next
        return action
    }

    private func next(_ evidence: Evidence, _ time: WallTime) -> (State, OnSighting) {
        switch self.state {
        case .nowhere(let hasMoved):
            return (.near(self.candidate(evidence, time, isArrivalKnown: hasMoved)), .ignore)
        case .near(var candidate):
            if candidate.anchor.isLeft(by: evidence, policy: self.beliefs) {
                return (.near(self.candidate(evidence, time, isArrivalKnown: true)), .ignore)
            }
            if evidence.basis == .doubt { return (.near(candidate), .ignore) }
            return self.stayed(candidate, evidence.sighting)
        case .staying(var anchor, let stay):
            guard anchor.isLeft(by: evidence, policy: self.beliefs) else {
                return (.staying(anchor, stay), .ignore)
            }
            let next = self.candidate(evidence, time, isArrivalKnown: true)
            return (.near(next), .depart(stay.ended(time)))
        }
    }

    private func candidate(_ evidence: Evidence, _ time: WallTime, isArrivalKnown: Bool) -> Candidate {
        let point = evidence.sighting.point
        return Candidate(
            anchor: Anchor(at: point, radius: self.policy.stayRadius),
            points: Middle(point),
            since: evidence.sighting.measured,
            time: time,
            isArrivalKnown: isArrivalKnown
        )
    }

    /// Handles a fix that does not show that the device left.
    private func stayed(_ candidate: Candidate, _ sighting: Sighting) -> (State, OnSighting) {
        var candidate = candidate
        // A fix with an error larger than the circle does not help to locate its centre.
        if sighting.sigma <= self.policy.stayRadius { candidate.points.add(sighting.point) }
        guard candidate.since.duration(to: sighting.measured) >= self.policy.stayPeriod else {
            return (.near(candidate), .ignore)
        }
        let stay = Stay(
            center: candidate.points.point,
            radius: self.policy.stayRadius,
            since: candidate.time,
            isArrivalKnown: candidate.isArrivalKnown
        )
        return (.staying(Anchor(at: stay.center, radius: stay.radius), stay), .arrive(stay))
    }
}
