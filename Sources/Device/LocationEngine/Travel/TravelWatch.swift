internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// Decides significant changes and stays: from the position of the last reported change, and the place where the device stays.
///
/// One watch serves all apps: it requests a position every few minutes while an app wants findings (``Looks``), and uses every
/// fix made for other reasons. Whether the device left a place is a belief (``Anchor``), so that a wrong fix reports no change.
struct TravelWatch: Sendable, Hashable {
    /// All that apps received, or will receive; survives a restart.
    struct Told: Sendable, Hashable {
        /// The position of the last significant change; nil: none is known.
        var change: Fix?
        /// The last stay; nil: none is known.
        var stay: Stay?
    }

    private(set) var told = Told()
    private(set) var looks: Looks
    private var wanted: Set<Travel> = []
    private var anchor: Anchor?
    private var stays: Stays
    /// When the engine detected the stay, or its end.
    private var stayFound = EngineInstant(sinceStart: .zero)
    /// Since when no app wants visits; the last stay is kept for a while.
    private var untoldSince: EngineInstant?
    @Boxed private var policy: Policy

    init(policy: Policy) {
        self._policy = Boxed(policy)
        self.looks = Looks(patience: policy.lookPatience, pause: policy.travel.pause)
        self.stays = Stays(policy: policy.travel, beliefs: policy.beliefs)
    }

    /// Continues from a saved state.
    init(restoring told: Told, policy: Policy, now: EngineInstant) {
        self.init(policy: policy)
        self.told = told
        self.anchor = told.change.map { Anchor(at: $0.point, radius: policy.travel.changeDistance) }
        self.stays = Stays(policy: policy.travel, beliefs: policy.beliefs, keeping: told.stay)
        self.stayFound = now
        if told.change != nil { self.wanted.insert(.changes) }
        if told.stay != nil { self.wanted.insert(.visits) }
    }

    var isEmpty: Bool { self.wanted.isEmpty }

    /// Whether positions are needed now.
    var needsReceiver: Bool { self.looks.needsReceiver }

    /// The instant to call ``deadlineReached(now:)`` at.
    var deadline: EngineInstant? {
        var earliest = self.looks.deadline
        if !self.wanted.contains(.changes) {
            earliest.lower(to: self.told.change?.arrival.advanced(by: self.policy.travel.changeInterval))
        }
        earliest.lower(to: self.untoldSince?.advanced(by: self.policy.travel.stayMemory))
        return earliest
    }

    /// The newest finding.
    subscript(travel: Travel) -> Update.Element? {
        switch travel {
        case .changes: self.told.change.map { .fix($0) }
        case .visits: self.told.stay.map { .visit(Visit($0, arrival: self.stayFound)) }
        }
    }

    // MARK: Inputs

    /// Records which findings apps want, and forgets findings that no app wants any more.
    mutating func wanted(_ travels: Set<Travel>, now: EngineInstant) {
        if travels.contains(.changes), !self.wanted.contains(.changes) { self.forgetOldChange(now) }
        if travels.contains(.visits) {
            self.forgetOldStay(now)
            self.untoldSince = nil
        } else if self.wanted.contains(.visits) {
            self.untoldSince = now
        }
        if travels.isEmpty {
            self.looks.end()
        } else if self.looks.state == .idle || !travels.isSubset(of: self.wanted) {
            self.looks.begin(now: now)
        }
        self.wanted = travels
    }

    /// Forgets the last change after five minutes; until then, an app that is shown and hidden repeatedly receives no
    /// more changes than other apps.
    private mutating func forgetOldChange(_ now: EngineInstant) {
        guard let change = self.told.change, self.mayChange(after: change, now) else { return }
        self.told.change = nil
        self.anchor = nil
    }

    /// Forgets the last stay once no app has wanted visits for a long time.
    private mutating func forgetOldStay(_ now: EngineInstant) {
        guard let since = self.untoldSince, since.duration(to: now) >= self.policy.travel.stayMemory else { return }
        self.untoldSince = nil
        self.told.stay = nil
        self.stays = Stays(policy: self.policy.travel, beliefs: self.policy.beliefs)
    }

    /// Whether enough time has passed since a change for the next one.
    private func mayChange(after change: Fix, _ now: EngineInstant) -> Bool {
        change.arrival.duration(to: now) >= self.policy.travel.changeInterval
    }

    /// Records a position.
    ///
    /// - Returns: whether there is a new finding.
    mutating func sightingArrived(
        _ evidence: Evidence,
        _ fix: Fix,
        isAwaitingMore: Bool,
        now: EngineInstant
    ) -> Bool {
        if self.isEmpty { return false }
        let before = self.told
        if self.wanted.contains(.changes) { self.sawPlace(evidence, fix, now) }
        if self.wanted.contains(.visits) { self.take(self.stays.sightingArrived(evidence, at: fix.time), now) }
        if isAwaitingMore {
            self.looks.begin(now: now)
        } else {
            self.looks.rest(until: now.advanced(by: self.policy.travel.pause))
        }
        return self.told != before
    }

    private mutating func sawPlace(_ evidence: Evidence, _ fix: Fix, _ now: EngineInstant) {
        guard let change = self.told.change else { return self.moved(to: fix) }
        guard self.mayChange(after: change, now) else { return }
        let beliefs = self.policy.beliefs
        if self.anchor?.isLeft(by: evidence, policy: beliefs) ?? false { self.moved(to: fix) }
    }

    private mutating func moved(to fix: Fix) {
        self.told.change = fix
        self.anchor = Anchor(at: fix.point, radius: self.policy.travel.changeDistance)
    }

    private mutating func take(_ action: Stays.OnSighting, _ now: EngineInstant) {
        switch action {
        case .ignore: break
        case .arrive(let stay), .depart(let stay):
            self.told.stay = stay
            self.stayFound = now
        }
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    mutating func deadlineReached(now: EngineInstant) {
        if !self.wanted.contains(.changes) { self.forgetOldChange(now) }
        self.forgetOldStay(now)
        self.looks.deadlineReached(now: now)
    }
}
