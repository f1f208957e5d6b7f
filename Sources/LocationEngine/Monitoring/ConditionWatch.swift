internal import Conditions
internal import Geodesy
internal import Vocabulary

/// The conditions of all apps that the device watches, and when it looks where it is for them.
///
/// ```
///           begin                    a fix that tells enough
///   idle ──────────▶ looking(until) ─────────────────────────▶ resting(until)
///     ▲                │   ▲   └── deadline: nothing came ──────▲    │
///     │                │   └──────────── begin, deadline ──────────┘
///     └── end of the last one, from everywhere
/// ```
/// Which side of a boundary the device is on is decided by `Conditions`; this is where its fixes come from, and whose the
/// crossings are. A condition that begins has the device look at once.
struct ConditionWatch: Sendable, Hashable {
    /// Whether the device looks where it is.
    enum State: Sendable, Hashable {
        /// Nothing is watched.
        case idle
        /// The receiver is wanted; it is given up for a while when nothing came by then.
        case looking(until: EngineInstant)
        /// The receiver may be off until then.
        case resting(until: EngineInstant)
    }

    /// A crossing, and whose it is.
    struct Decision: Sendable, Hashable {
        var bundle: BundleID
        var number: UInt64
        var finding: ConditionRecord.Finding
    }

    private(set) var state = State.idle
    private var circles: CircularConditions<UInt64>
    /// The apps of the conditions; looked up by number only, never iterated.
    private var owners: [UInt64: BundleID] = [:]
    private var trail = Trail()
    private var floor = AccuracyFloor()
    private let policy: Policy

    init(policy: Policy) {
        self.policy = policy
        self.circles = CircularConditions(policy: policy.beliefs)
    }

    /// Whether nothing is watched.
    var isEmpty: Bool { self.owners.isEmpty }

    /// Whether positions are needed now.
    var needsReceiver: Bool { if case .looking = self.state { true } else { false } }

    /// The instant to call ``deadlineReached(now:)`` at.
    var deadline: EngineInstant? {
        var earliest = self.circles.deadline
        switch self.state {
        case .idle: break
        case .looking(let until), .resting(let until): earliest.lower(to: until)
        }
        return earliest
    }

    // MARK: Inputs

    /// Begins to watch a condition, from how it stands by all that is known.
    mutating func begin(
        _ number: UInt64,
        _ condition: Condition,
        of bundle: BundleID,
        believing state: ConditionState,
        now: EngineInstant
    ) {
        guard let circle = condition.watched else { return }
        self.circles.add(number, circle: circle, belief: Belief(side: state.side))
        self.owners[number] = bundle
        self.look(now)
    }

    /// Ends watching a condition; ignored when it is not watched.
    mutating func end(_ number: UInt64) {
        guard self.owners.removeValue(forKey: number) != nil else { return }
        self.circles.remove(number)
        if self.owners.isEmpty { self.state = .idle }
    }

    /// Records a position.
    ///
    /// - Returns: the crossings, in the order that the conditions were added.
    mutating func fixReceived(_ fix: Fix, now: Now) -> [Decision] {
        guard !self.isEmpty else { return [] }
        let sighting = Sighting(
            point: fix.point,
            accuracy: fix.horizontalAccuracy.map(Int64.init),
            floor: self.floor.value,
            speed: fix.speed.map(Int64.init),
            time: fix.time,
            now: now,
            policy: self.policy.beliefs
        )
        let last = self.trail.last
        guard case .use(let evidence) = self.trail.sightingArrived(sighting, policy: self.policy.beliefs) else {
            return []
        }
        if let last { self.floor.sightingUsed(sighting, after: last, policy: self.policy.beliefs) }
        let crossings = self.circles.sightingArrived(evidence)
        let next = LookAhead(
            boundary: self.circles.nearestBoundary(to: sighting.point),
            after: sighting,
            isAwaiting: self.circles.isAwaiting,
            policy: self.policy.looks
        )
        switch next {
        case .stayOn: self.look(now.monotonic)
        case .lookAt(let instant): self.state = .resting(until: instant)
        }
        return self.decisions(crossings, fix.time)
    }

    /// Records that the host's timer fired; legal at any time.
    ///
    /// - Returns: the crossings that are decided as nothing contradicted them.
    mutating func deadlineReached(now: Now) -> [Decision] {
        let crossings = self.circles.agreementTimedOut(now: now.monotonic)
        switch self.state {
        case .looking(let until) where now.monotonic >= until:
            self.state = .resting(until: now.monotonic.advanced(by: self.policy.looks.latencyMax))
        case .resting(let until) where now.monotonic >= until: self.look(now.monotonic)
        case .idle, .looking, .resting: break
        }
        return self.decisions(crossings, now.wall)
    }

    private mutating func look(_ now: EngineInstant) {
        self.state = .looking(until: now.advanced(by: self.policy.lookPatience))
    }

    private func decisions(_ crossings: [CircularConditions<UInt64>.Crossing], _ time: WallTime) -> [Decision] {
        crossings.sorted { $0.key < $1.key }.compactMap { crossing in
            self.owners[crossing.key].map { bundle in
                let finding = ConditionRecord.Finding(state: ConditionState(crossing.side), time: time)
                return Decision(bundle: bundle, number: crossing.key, finding: finding)
            }
        }
    }
}

extension Condition {
    /// The circle, as the decision is made on it; nil when none is.
    fileprivate var watched: ConditionCircle? {
        switch self {
        case .circle(let circle):
            ConditionCircle(
                center: QuantizedCoordinate(latitude: Int(circle.latitude), longitude: Int(circle.longitude)),
                radius: Int64(circle.radius)
            )
        }
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
