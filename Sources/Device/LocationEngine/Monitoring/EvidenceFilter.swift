internal import WhereaboutsConditions
internal import WhereaboutsVocabulary

/// Rates how certain each fix is, from the previous fix and the scatter of its source, for all decisions by belief.
struct EvidenceFilter: Sendable, Hashable {
    private var trail = Trail()
    private var floor = AccuracyFloor()
    /// The last fix that was used.
    private var last: Fix?
    private let policy: BeliefPolicy

    init(policy: BeliefPolicy) {
        self.policy = policy
    }

    /// When to call ``silenceLasted(now:)``; nil when it would change nothing.
    var deadline: EngineInstant? { self.trail.deadline(self.policy) }

    /// Whether the next fixes will decide something soon, so that the receiver must stay on.
    var isAwaitingMore: Bool { self.trail.isAwaitingMore }

    /// Records that the receiver is silent; a call before ``deadline`` changes nothing.
    ///
    /// - Returns: the last fix and its evidence after the silence; nil if nothing changes.
    mutating func silenceLasted(now: EngineInstant) -> (Evidence, Fix)? {
        guard let evidence = self.trail.silenceLasted(now: now, policy: self.policy), let last else { return nil }
        return (evidence, last)
    }

    /// Records a fix.
    ///
    /// - Returns: the evidence of the fix; nil when it is too old, late, or from the future.
    mutating func fixReceived(_ fix: Fix, now: Now) -> Evidence? {
        let sighting = Sighting(
            point: fix.point,
            accuracy: fix.horizontalAccuracy.map(Int64.init),
            floor: self.floor.value,
            speed: fix.speed.map(Int64.init),
            time: fix.time,
            now: now,
            policy: self.policy
        )
        let before = self.trail.last
        guard case .use(let evidence) = self.trail.sightingArrived(sighting, policy: self.policy) else { return nil }
        if let before { self.floor.sightingUsed(sighting, after: before, policy: self.policy) }
        self.last = fix
        return evidence
    }
}
