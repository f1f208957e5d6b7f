public import WhereaboutsGeodesy
public import WhereaboutsVocabulary

/// A usable fix, and the decisions that it allows.
public struct Evidence: Sendable, Hashable {
    /// The basis for a decision.
    public enum Basis: Sendable, Hashable {
        /// No basis: the fix is the first one, or contradicts earlier ones.
        case doubt
        /// The newest fix: the measured speed explains its distance from the previous fix.
        ///
        /// This excludes reflected signals, which change the measured position but not the speed from the Doppler
        /// shift. Receivers reported reflections 200 m away with an accuracy of 1.7 m, five times in three minutes
        /// (Ikolvi/Tracelet#294).
        case motion
        /// The newest fix, which agrees with earlier ones.
        case fix
        /// The average of independent fixes: the place, and its standard deviation along each axis in millimetres.
        case average(QuantizedCoordinate, sigma: Int64)
    }

    /// The newest fix.
    public let sighting: Sighting
    /// The basis for decisions.
    public let basis: Basis
}

/// The device's last fixes, which the next one is compared with.
///
/// One trail serves all conditions of a device.
///
/// ```
///                          fixes agree with the average
///                         ┌──────────┐
///            first fix    │          ▼    a fix contradicts it
///   empty ──────────────▶ following ──────────────────────────▶ doubting
///                          ▲  ▲  ▲                                │  │
///                          │  │  └── a fix agrees with it ────────┘  │
///                          │  └───── the contradiction lasts ────────┘
///                          └── measured motion, from everywhere: the average begins again
/// ```
/// A contradiction is accepted when it is *far* (``BeliefPolicy/farSigmas``) for ``BeliefPolicy/farPeriod``, when it
/// has ``BeliefPolicy/moveWitnesses`` independent fixes, or when no further fix arrives.
public struct Trail: Sendable, Hashable {
    /// A contradiction of the average that is not accepted yet.
    private struct Doubted: Sendable, Hashable {
        /// The fixes elsewhere that agree with one another.
        var elsewhere: PositionAverage
        /// Since when every fix was far from the average; nil when the newest is not.
        var farSince: EngineInstant?
        /// Whether no vehicle could have moved from the previous fix to this one.
        var isLeap: Bool
    }

    /// The last fix that was used; nil before the first.
    public private(set) var last: Sighting?
    /// The average of the fixes at the assumed place; nil before the first fix.
    private var average: PositionAverage?
    private var doubted: Doubted?
    private var scatter = Scatter()
    /// The measured speed, averaged over about four fixes, in millimetres a second; nil when the receiver measures none.
    private var speed: Int64?
    /// Whether the next fixes will decide something soon, so that the receiver must stay on.
    public private(set) var isAwaitingMore = false

    /// Starts without a fix.
    public init() {}

    /// A reason not to use a fix.
    public enum Doubt: Sendable, Hashable, CaseIterable {
        /// The fix was measured too long ago.
        case stale
        /// The fix claims to be from the future.
        case future
        /// The fix is not newer than the last one.
        case late
    }

    /// Actions returned by ``sightingArrived(_:policy:)``.
    public enum OnSighting: Sendable, Hashable {
        /// Pass the evidence to the beliefs.
        case use(Evidence)
        /// Leave all beliefs unchanged, and log the reason.
        case refuse(Doubt)
    }

    /// Records a fix.
    ///
    /// - Parameters:
    ///   - sighting: the fix.
    ///   - policy: the numbers.
    /// - Returns: the evidence of the fix, or the reason not to use it.
    public mutating func sightingArrived(_ sighting: Sighting, policy: BeliefPolicy) -> OnSighting {
        if sighting.age > policy.ageMax { return .refuse(.stale) }
        if sighting.age < .zero - policy.futureMax { return .refuse(.future) }
        if let last, sighting.measured <= last.measured { return .refuse(.late) }
        return .use(Evidence(sighting: sighting, basis: self.basis(of: sighting, policy)))
    }

    private mutating func basis(of sighting: Sighting, _ policy: BeliefPolicy) -> Evidence.Basis {
        let before = self.last
        self.last = sighting
        self.isAwaitingMore = false
        self.speed = sighting.speed.map { told in
            let new = min(told, policy.speedMax)
            return self.speed.map { $0 + (new - $0) / 4 } ?? new
        }
        guard let before, var average = self.average else {
            self.average = PositionAverage(sighting)
            self.isAwaitingMore = true
            return .doubt
        }
        if self.explains(from: before, to: sighting, policy) {
            self.follow(PositionAverage(sighting, isConfirmed: true))
            return .motion
        }
        guard let isFar = self.contradiction(of: average, by: sighting, policy) else {
            if self.isCreeping(average, policy) {
                average = PositionAverage(sighting, isConfirmed: true)
            } else {
                average.add(sighting, scatter: &self.scatter, learns: true, policy: policy)
            }
            self.follow(average)
            return self.basis(of: average, policy)
        }
        return self.doubt(sighting, after: before, isFar: isFar, policy)
    }

    /// Continues with an average, and discards a contradiction.
    private mutating func follow(_ average: PositionAverage) {
        self.average = average
        self.doubted = nil
    }

    private func basis(of average: PositionAverage, _ policy: BeliefPolicy) -> Evidence.Basis {
        guard average.witnesses >= 2 else { return average.count >= 2 ? .fix : .doubt }
        let variance = average.fixVariance / average.witnesses * self.scatter.excess
        return .average(average.point, sigma: max(1, Int64(variance.squareRoot())))
    }

    // MARK: Contradictions

    /// Whether a fix contradicts an average: nil when it agrees, otherwise whether it is far from it.
    private func contradiction(
        of average: PositionAverage,
        by sighting: Sighting,
        _ policy: BeliefPolicy
    ) -> Bool? {
        let variance = (sighting.variance + average.fixVariance / average.witnesses) * self.scatter.excess
        let sigma = Int64(variance.squareRoot())
        let far = Int64(policy.farSigmas) * sigma
        let way = Geodesic.millimeters(from: average.point, to: sighting.point, upTo: far + 1)
        return way <= Int64(policy.agreementSigmas) * sigma ? nil : way > far
    }

    private mutating func doubt(
        _ sighting: Sighting,
        after before: Sighting,
        isFar: Bool,
        _ policy: BeliefPolicy
    ) -> Evidence.Basis {
        var elsewhere = PositionAverage(sighting)
        // Fixes that agree with no earlier ones come from a moving device.
        var (agrees, isOnItsWay) = (false, true)
        if let doubted {
            agrees = self.contradiction(of: doubted.elsewhere, by: sighting, policy) == nil
            isOnItsWay = doubted.elsewhere.count == 1
            if agrees {
                elsewhere = doubted.elsewhere
                elsewhere.add(sighting, scatter: &self.scatter, learns: false, policy: policy)
            }
        }
        let farSince = isFar ? self.doubted?.farSince ?? sighting.measured : nil
        let isFarLongEnough = farSince.map { $0.duration(to: sighting.measured) >= policy.farPeriod } ?? false
        // Two fixes that agree are more credible than a single one.
        let isOutvoted = agrees && self.average?.count == 1
        guard
            isFarLongEnough && (agrees || isOnItsWay) || isOutvoted
                || elsewhere.witnesses >= Double(policy.moveWitnesses)
        else {
            let isLeap = self.doubted?.isLeap ?? false || Self.isLeap(from: before, to: sighting, policy)
            self.doubted = Doubted(elsewhere: elsewhere, farSince: farSince, isLeap: isLeap)
            self.isAwaitingMore = isFar
            return .doubt
        }
        self.follow(elsewhere)
        let basis = self.basis(of: elsewhere, policy)
        return basis == .doubt ? .fix : basis
    }

    private static func isLeap(from last: Sighting, to next: Sighting, _ policy: BeliefPolicy) -> Bool {
        let elapsed = last.measured.duration(to: next.measured)
        let reach = Self.way(at: policy.speedMax, for: elapsed) + 3 * (last.sigma + next.sigma)
        return Geodesic.millimeters(from: last.point, to: next.point, upTo: reach + 1) > reach
    }

    // MARK: Silence

    /// When to call ``silenceLasted(now:policy:)``; nil when it would change nothing.
    public func deadline(_ policy: BeliefPolicy) -> EngineInstant? {
        self.isAwaitingMore ? self.last?.arrival.advanced(by: policy.silencePeriod) : nil
    }

    /// Records that no fix arrived for a while; a call before ``deadline(_:)`` changes nothing.
    ///
    /// A single fix is then accepted, unless no vehicle could have got there since the last fix: the receiver may have nothing better.
    ///
    /// - Returns: the evidence of the last fix now; nil if nothing changes.
    public mutating func silenceLasted(now: EngineInstant, policy: BeliefPolicy) -> Evidence? {
        guard let deadline = self.deadline(policy), now >= deadline, let last else { return nil }
        self.isAwaitingMore = false
        guard let doubted else { return Evidence(sighting: last, basis: .fix) }
        guard !doubted.isLeap else {
            self.doubted = nil
            return nil
        }
        self.follow(doubted.elsewhere)
        return Evidence(sighting: last, basis: .fix)
    }

    // MARK: Motion

    /// Whether the speeds at both ends explain the distance between two fixes, within half of it plus an error.
    private func explains(from last: Sighting, to next: Sighting, _ policy: BeliefPolicy) -> Bool {
        let elapsed = last.measured.duration(to: next.measured)
        guard elapsed <= policy.motionGapMax, let before = last.speed, let after = next.speed,
            let average = self.speed, min(before, after, average) >= policy.movingSpeed,
            max(before, after) <= policy.speedMax
        else { return false }
        let expected = Self.way(at: (before + after) / 2, for: elapsed)
        let way = Geodesic.millimeters(from: last.point, to: next.point, upTo: 2 * expected + policy.motionError)
        return abs(way - expected) <= expected / 2 + policy.motionError
    }

    /// Whether the device moves too slowly for ``explains(from:to:_:)``, yet faster than its fixes can be averaged.
    private func isCreeping(_ average: PositionAverage, _ policy: BeliefPolicy) -> Bool {
        guard let speed, speed >= policy.creepingSpeed else { return false }
        let way = Double(Self.way(at: speed, for: policy.witnessSpacing))
        return way * way >= average.fixVariance
    }

    /// The distance in millimetres at a speed in millimetres a second; at most once around the Earth.
    private static func way(at speed: Int64, for elapsed: Duration) -> Int64 {
        // A day at 340 m/s: longer than half around the Earth, and far from overflow.
        let seconds = min(elapsed, .seconds(86_400)).components
        return seconds.seconds * speed + seconds.attoseconds / 1_000_000_000_000_000 * speed / 1000
    }
}
