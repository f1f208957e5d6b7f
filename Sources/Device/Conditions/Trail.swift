internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// A fix that may be used, and what the fix before says of it.
public struct Evidence: Sendable, Hashable {
    /// The fix.
    public let sighting: Sighting
    /// Whether the speed that the receiver measured explains the way from the fix before: then the two agree.
    ///
    /// A reflected signal moves the position, not the Doppler shift: of 200 m off at a claimed 1.7 m, five times in three
    /// minutes (Ikolvi/Tracelet#294), none is explained.
    public let isExplained: Bool
    /// Whether no vehicle comes here from the fix before in that time.
    public let isLeap: Bool
}

/// The device's last usable fix, by which the next one is judged.
///
/// Its one state: the last fix. One trail serves all conditions of a device.
public struct Trail: Sendable, Hashable {
    /// The last fix that was used; nil before the first.
    public private(set) var last: Sighting?

    /// Starts without a fix.
    public init() {}

    /// A reason not to use a fix.
    public enum Doubt: Sendable, Hashable, CaseIterable {
        /// It was measured too long ago.
        case stale
        /// It claims to be measured in the future.
        case future
        /// It was measured before, or when, the last one was.
        case late
    }

    /// Actions returned by ``sightingArrived(_:policy:)``.
    public enum OnSighting: Sendable, Hashable {
        /// Give it to the beliefs.
        case use(Evidence)
        /// Leave all beliefs as they are, and note why.
        case refuse(Doubt)
    }

    /// Records a fix.
    ///
    /// - Parameters:
    ///   - sighting: the fix.
    ///   - policy: the numbers.
    /// - Returns: the evidence it is, or the reason why it is none.
    public mutating func sightingArrived(_ sighting: Sighting, policy: BeliefPolicy) -> OnSighting {
        if sighting.age > policy.ageMax { return .refuse(.stale) }
        if sighting.age < .zero - policy.futureMax { return .refuse(.future) }
        guard let last = self.last else {
            self.last = sighting
            return .use(Evidence(sighting: sighting, isExplained: false, isLeap: false))
        }
        guard sighting.measured > last.measured else { return .refuse(.late) }
        self.last = sighting
        let elapsed = last.measured.duration(to: sighting.measured)
        let reach = Self.way(at: policy.speedMax, for: elapsed) + 3 * (last.sigma + sighting.sigma)
        // Beyond twice the reach no speed explains the way, however long it is.
        let way = Geodesic.millimeters(from: last.point, to: sighting.point, upTo: 2 * reach + policy.motionError)
        return .use(
            Evidence(
                sighting: sighting,
                isExplained: Self.explains(way, from: last, to: sighting, within: elapsed, policy: policy),
                isLeap: way > reach
            )
        )
    }

    /// Whether the speeds at both ends explain the way between two fixes, to the half of it and an error.
    private static func explains(
        _ way: Int64,
        from last: Sighting,
        to next: Sighting,
        within elapsed: Duration,
        policy: BeliefPolicy
    ) -> Bool {
        guard elapsed <= policy.motionGapMax, let before = last.speed, let after = next.speed,
            min(before, after) >= policy.movingSpeed, max(before, after) <= policy.speedMax
        else { return false }
        let expected = Self.way(at: (before + after) / 2, for: elapsed)
        return abs(way - expected) <= expected / 2 + policy.motionError
    }

    /// The way in millimetres at a speed in millimetres a second; no longer than around the Earth.
    private static func way(at speed: Int64, for elapsed: Duration) -> Int64 {
        // A day at 340 m/s: longer than half around the Earth, and far from overflow.
        let seconds = min(elapsed, .seconds(86_400)).components
        return seconds.seconds * speed + seconds.attoseconds / 1_000_000_000_000_000 * speed / 1000
    }
}
