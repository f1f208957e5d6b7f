public import Vocabulary

/// On which side of one circle the device is believed to be, and whether a first fix says otherwise.
///
/// ```
///                    a fix on the other side,             a second such fix,
///                    unexplained                          or none that knows as much in time
///   side ─────────────────────────────────▶ awaiting ───────────────────────────────▶ the other side
///    ▲ └── a fix on the other side, explained by the measured speed ─────────────────────▲
///    └──────────── any other fix that knows as much
/// ```
/// Ignored races: time-outs early, late or spurious; a second fix too soon after the first.
public struct Belief: Sendable, Hashable {
    /// A first fix on the other side, without a second one that agrees so far.
    public struct Awaited: Sendable, Hashable {
        /// The side of that fix.
        public let side: Side
        /// When it was measured.
        public let measured: EngineInstant
        /// Its uncertainty, in millimetres.
        public let sigma: Int64
        /// Whether silence is no agreement, as no vehicle comes there from the fix before.
        public let isLeap: Bool
        /// When to call ``Belief/agreementTimedOut(now:)``.
        public let until: EngineInstant
    }

    /// The believed side; nil until a fix is clear.
    public private(set) var side: Side?
    /// The first fix on the other side; nil when all agree.
    public private(set) var awaited: Awaited?

    /// Creates a belief.
    ///
    /// - Parameter side: the side as it was kept over a restart, or as an app assumes it; nil when it is not known.
    public init(side: Side?) {
        self.side = side
    }

    /// The reason of a crossing, for the record of why.
    public enum Grounds: Sendable, Hashable, CaseIterable {
        /// Two fixes of different times agree.
        case agreement
        /// The speed that the receiver measured explains the way from the fix before.
        case motion
        /// One fix, and nothing that knows as much since.
        case silence
    }

    /// Actions returned by ``sightingArrived(_:of:policy:)``.
    public enum OnSighting: Sendable, Hashable {
        /// Do nothing; nothing is awaited.
        case unchanged
        /// Keep the receiver on, and call ``Belief/agreementTimedOut(now:)`` then.
        case awaitsAgreement(until: EngineInstant)
        /// Keep the new side, then tell it.
        case crossed(Side, Grounds)
    }

    /// Records a fix.
    ///
    /// - Parameters:
    ///   - evidence: the fix, as the ``Trail`` judged it.
    ///   - circle: the condition's circle.
    ///   - policy: the numbers.
    /// - Returns: what follows.
    public mutating func sightingArrived(
        _ evidence: Evidence,
        of circle: ConditionCircle,
        policy: BeliefPolicy
    ) -> OnSighting {
        let sighting = evidence.sighting
        let chance = Chance(
            distance: circle.distance(to: sighting.point),
            radius: circle.radius,
            sigma: sighting.sigma
        )
        guard let seen = Self.verdict(chance, policy), seen != self.side else {
            // A fix that knows less than the first one does not contradict it.
            if let awaited = self.awaited, self.side == nil || sighting.sigma > awaited.sigma {
                return .awaitsAgreement(until: awaited.until)
            }
            self.awaited = nil
            return .unchanged
        }
        if evidence.isExplained { return self.cross(to: seen, .motion) }
        if let awaited = self.awaited, awaited.side == seen {
            guard awaited.measured.duration(to: sighting.measured) >= policy.agreementSpacing else {
                return .awaitsAgreement(until: awaited.until)
            }
            return self.cross(to: seen, .agreement)
        }
        let until = sighting.arrival.advanced(by: policy.agreementPatience)
        self.awaited = Awaited(
            side: seen,
            measured: sighting.measured,
            sigma: sighting.sigma,
            isLeap: evidence.isLeap,
            until: until
        )
        return .awaitsAgreement(until: until)
    }

    /// Actions returned by ``agreementTimedOut(now:)``.
    public enum OnTimeOut: Sendable, Hashable {
        /// Do nothing.
        case unchanged
        /// Keep the new side, then tell it.
        case crossed(Side, Grounds)
    }

    /// Records that the wait for a second fix is over; legal at any time.
    ///
    /// - Parameter now: the instant.
    /// - Returns: what follows.
    public mutating func agreementTimedOut(now: EngineInstant) -> OnTimeOut {
        guard let awaited = self.awaited, now >= awaited.until else { return .unchanged }
        self.awaited = nil
        guard !awaited.isLeap else { return .unchanged }
        self.side = awaited.side
        return .crossed(awaited.side, .silence)
    }

    private mutating func cross(to side: Side, _ grounds: Grounds) -> OnSighting {
        self.side = side
        self.awaited = nil
        return .crossed(side, grounds)
    }

    /// The side that one fix is clear about; nil between the two levels.
    private static func verdict(_ chance: Chance, _ policy: BeliefPolicy) -> Side? {
        if chance.least >= policy.entering { return .inside }
        return chance.most <= policy.leaving ? .outside : nil
    }
}
