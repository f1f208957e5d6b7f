/// Whether the device is near the beacons of one condition.
///
/// ```
///                 received
///   undecided ───────────────▶ near ◀────────── away
///       │                        │   received    ▲
///       │ not for smoothing      │ exitPatience  │
///       └────────────────────────┴───────────────┘
/// ```
/// Times are those of ``ListeningTime``: while the scanner does not listen, a beacon that is not received may still be near.
struct BeaconPresence: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// No reception since then; nothing is known.
        case undecided(since: Duration)
        /// The last reception was then.
        case near(last: Duration)
        /// No reception for a long time.
        case away
    }

    private(set) var state: State

    /// Starts from the known state of the condition.
    init(believing state: ConditionState, at time: Duration) {
        self.state =
            switch state {
            case .unknown: .undecided(since: time)
            case .satisfied: .near(last: time)
            case .unsatisfied: .away
            }
    }

    /// When ``silenceLasted(until:_:)`` may find that the device is away; nil: the device already counts as away.
    func deadline(_ policy: BeaconPolicy) -> Duration? {
        switch self.state {
        // A beacon that is received while the device is undecided gives a first state and no entry. Apple calls
        // didEnterRegion for crossings only, and a device that starts inside a region does not enter it. Beacons that
        // advertise rarely, or fade, need seconds to be received: an earlier decision would report entries of devices
        // that lie still beside their beacon. An app that must know calls requestState(for:).
        case .undecided(let time): time + policy.smoothing
        case .near(let time): time + policy.exitPatience
        case .away: nil
        }
    }

    /// Actions returned by ``received(at:)``.
    enum OnReception: Sendable, Hashable {
        case enter
        case ignore
    }

    /// Records that one of the beacons was received.
    mutating func received(at time: Duration) -> OnReception {
        defer { self.state = .near(last: time) }
        if case .near = self.state { return .ignore }
        return .enter
    }

    /// Actions returned by ``silenceLasted(until:_:)``.
    enum OnSilence: Sendable, Hashable {
        case leave
        /// Too early to say, or already known.
        case ignore
    }

    /// Records that the scanner listened until then.
    mutating func silenceLasted(until time: Duration, _ policy: BeaconPolicy) -> OnSilence {
        guard let deadline = self.deadline(policy), time >= deadline else { return .ignore }
        self.state = .away
        return .leave
    }
}
