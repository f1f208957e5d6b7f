internal import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// The device's approximate place: the middle of a cell some kilometres wide, looked up a few times an hour.
///
/// ```
///           fix, wanted                 fix, wanted, interval over
///   none ────────────────▶ place(at t) ────────────────────────────▶ place(at t′)
/// ```
/// The grid never moves, and look-ups are few: many answers, to one app or several, reveal no more than one. All apps
/// receive the same place.
public struct ReducedAccuracy: Sendable, Hashable {
    /// The last place that was looked up.
    enum State: Sendable, Hashable {
        /// Nothing.
        case none
        /// This place, found at that instant.
        case place(Fix, since: EngineInstant)
    }

    private(set) var state: State = .none
    @Boxed private var policy: Policy

    /// Creates the machine of a device without a request.
    public init(policy: Policy) {
        self._policy = Boxed(policy)
    }

    /// Returns the place, if it is recent enough.
    public func place(now: EngineInstant) -> Fix? {
        guard case .place(let place, let since) = self.state,
            since.duration(to: now) <= self.policy.reducedPlaceAge
        else { return nil }
        return place
    }

    /// The instant from which a new look-up is needed; nil when no place is known, so that one is needed now.
    public var due: EngineInstant? {
        if case .place(_, let since) = self.state { since.advanced(by: self.policy.reducedInterval) } else { nil }
    }

    /// Returns whether a fix is needed.
    public func isDue(now: EngineInstant) -> Bool { self.due.map { now >= $0 } ?? true }

    /// Records a fix, while an approximate place is needed.
    public mutating func fixReceived(_ fix: Fix, now: EngineInstant) {
        guard self.isDue(now: now) else { return }
        self.state = .place(Self.reduced(fix, radius: self.policy.reducedRadius), since: now)
    }

    /// The middle of the cell that contains a fix, without height, course and speed.
    static func reduced(_ fix: Fix, radius: Int32) -> Fix {
        let grid = Grid.reducedAccuracy
        let middle = grid.center(of: grid.cell(containing: fix.point))
        // Half the diagonal of a cell of 5 km is 3.6 km; the fix's own accuracy is added.
        let (own, overflow) = (fix.horizontalAccuracy ?? 0).addingReportingOverflow(3_600_000)
        return Fix(
            latitude: middle.latitude,
            longitude: middle.longitude,
            horizontalAccuracy: max(radius, overflow ? .max : own),
            isSimulated: fix.isSimulated,
            time: fix.time,
            arrival: fix.arrival
        )
    }
}
