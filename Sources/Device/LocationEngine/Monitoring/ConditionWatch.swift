internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The circles of all apps that the device watches, and the times at which it requests positions for them.
///
/// `Conditions` decides on which side of a boundary the device is; this type passes fixes to it, and its crossings to
/// the apps. A condition that begins requests a position at once (``Looks``).
struct ConditionWatch: Sendable, Hashable {
    /// A crossing, and its condition.
    struct Decision: Sendable, Hashable {
        var bundle: BundleID
        var number: UInt64
        var finding: ConditionRecord.Finding
    }

    private(set) var looks: Looks
    private var circles: CircularConditions<UInt64>
    /// The apps of the conditions; looked up by number only, never iterated.
    private var owners: [UInt64: BundleID] = [:]
    @Boxed private var policy: Policy

    init(policy: Policy) {
        self._policy = Boxed(policy)
        self.looks = Looks(patience: policy.lookPatience, pause: policy.looks.latencyMax)
        self.circles = CircularConditions(policy: policy.beliefs)
    }

    var isEmpty: Bool { self.owners.isEmpty }

    /// Whether positions are needed now.
    var needsReceiver: Bool { self.looks.needsReceiver }

    /// The instant to call ``deadlineReached(now:)`` at.
    var deadline: EngineInstant? { self.looks.deadline }

    // MARK: Inputs

    /// Starts to watch a condition from its known state.
    mutating func begin(
        _ number: UInt64,
        _ circle: Condition.Circle,
        of bundle: BundleID,
        believing state: ConditionState,
        now: EngineInstant
    ) {
        guard let circle = ConditionCircle(circle) else { return }
        self.circles.add(number, circle: circle, belief: Belief(side: state.side))
        self.owners[number] = bundle
        self.looks.begin(now: now)
    }

    /// Ends watching a condition; ignored when it is not watched.
    mutating func end(_ number: UInt64) {
        guard self.owners.removeValue(forKey: number) != nil else { return }
        self.circles.remove(number)
        if self.owners.isEmpty { self.looks.end() }
    }

    /// Records a position.
    ///
    /// - Parameters:
    ///   - evidence: the position.
    ///   - time: when the position was measured.
    ///   - isAwaitingMore: whether the next positions decide something soon.
    ///   - now: the instant.
    /// - Returns: the crossings, in the order that the conditions were added.
    mutating func sightingArrived(
        _ evidence: Evidence,
        at time: WallTime,
        isAwaitingMore: Bool,
        now: EngineInstant
    ) -> [Decision] {
        guard !self.isEmpty else { return [] }
        let crossings = self.circles.sightingArrived(evidence)
        let next = LookAhead(
            boundary: self.circles.nearestBoundary(to: evidence.sighting.point),
            after: evidence.sighting,
            isAwaiting: isAwaitingMore,
            policy: self.policy.looks
        )
        switch next {
        case .stayOn: self.looks.begin(now: now)
        case .lookAt(let instant): self.looks.rest(until: instant)
        }
        return self.decisions(crossings, time)
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    mutating func deadlineReached(now: EngineInstant) { self.looks.deadlineReached(now: now) }

    private func decisions(_ crossings: [CircularConditions<UInt64>.Crossing], _ time: WallTime) -> [Decision] {
        crossings.sorted { $0.key < $1.key }.compactMap { crossing in
            self.owners[crossing.key].map { bundle in
                let finding = ConditionRecord.Finding(state: ConditionState(crossing.side), time: time)
                return Decision(bundle: bundle, number: crossing.key, finding: finding)
            }
        }
    }
}

extension ConditionCircle {
    /// The circle in the form that `Conditions` uses; nil when it is impossible.
    fileprivate init?(_ circle: Condition.Circle) {
        self.init(
            center: QuantizedCoordinate(latitude: Int(circle.latitude), longitude: Int(circle.longitude)),
            radius: Int64(circle.radius)
        )
    }
}

extension ConditionState {
    fileprivate init(_ side: Side) {
        self =
            switch side {
            case .inside: .satisfied
            case .outside: .unsatisfied
            }
    }

    fileprivate var side: Side? {
        switch self {
        case .unknown: nil
        case .satisfied: .inside
        case .unsatisfied: .outside
        }
    }
}
