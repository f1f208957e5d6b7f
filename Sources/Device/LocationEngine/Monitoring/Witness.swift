internal import WhereaboutsConditions
internal import WhereaboutsVocabulary

/// The judge of fixes for all that is decided by belief: how well each is known, by the one before and by its source's scatter.
struct Witness: Sendable, Hashable {
    private var trail = Trail()
    private var floor = AccuracyFloor()
    private let policy: BeliefPolicy

    init(policy: BeliefPolicy) {
        self.policy = policy
    }

    /// Records a fix.
    ///
    /// - Returns: the evidence it is; nil when it is too old, of the future, or late.
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
        let last = self.trail.last
        guard case .use(let evidence) = self.trail.sightingArrived(sighting, policy: self.policy) else { return nil }
        if let last { self.floor.sightingUsed(sighting, after: last, policy: self.policy) }
        return evidence
    }
}
