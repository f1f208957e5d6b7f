public import WhereaboutsVocabulary

/// On which side of one circle the device is believed to be, and whether a first fix says otherwise.
///
/// ```
///              a fix clearly on the                  a second such fix,
///              other side, unexplained               or silence
///   side ────────────────────────────▶ awaiting ──────────────────────▶ the other side
///    ▲ │                                 │                                ▲
///    │ └── a fix on the other side, explained by the measured speed ──────┘
///    └──────────── any other fix ────────┘
/// ```
/// How clear a fix must be depends on what is known of motion. Explained by a measured speed: ``BeliefPolicy/entering`` and
/// ``BeliefPolicy/leaving`` are enough. Without a measured speed: ``BeliefPolicy/unseen``. With a speed that does not explain
/// it: ``BeliefPolicy/unmoved``.
///
/// Ignored races: time-outs early, late or spurious; a second fix too soon after the first.
public struct Belief: Sendable, Hashable {
    /// A first fix on the other side, without a second one that agrees so far.
    public struct Awaited: Sendable, Hashable {
        /// The side of that fix.
        public let side: Side
        /// When it was measured.
        public let measured: EngineInstant
        /// Whether silence agrees with it: it is as clear as can be, and a vehicle may have come there from the fix before.
        public let standsAlone: Bool
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
        /// One fix, and none since.
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
            distance: circle.distance(to: sighting.point, upTo: Chance.reach(circle.radius, sigma: sighting.sigma)),
            radius: circle.radius,
            sigma: sighting.sigma
        )
        guard let seen = self.otherSide(chance, evidence, policy) else {
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
        let isClear = seen == .inside ? chance.least >= policy.unmoved : 1000 - chance.most >= policy.unmoved
        self.awaited = Awaited(
            side: seen,
            measured: sighting.measured,
            standsAlone: isClear && !evidence.isLeap,
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
        guard awaited.standsAlone else { return .unchanged }
        self.side = awaited.side
        return .crossed(awaited.side, .silence)
    }

    private mutating func cross(to side: Side, _ grounds: Grounds) -> OnSighting {
        self.side = side
        self.awaited = nil
        return .crossed(side, grounds)
    }

    /// The side that a fix is clear about, if it is not the believed one.
    private func otherSide(_ chance: Chance, _ evidence: Evidence, _ policy: BeliefPolicy) -> Side? {
        let clear =
            evidence.isExplained
            ? 0 : self.side == nil || evidence.sighting.speed == nil ? policy.unseen : policy.unmoved
        if chance.least >= max(policy.entering, clear) { return self.side == .inside ? nil : .inside }
        if chance.most <= min(policy.leaving, 1000 - clear) { return self.side == .outside ? nil : .outside }
        return nil
    }
}
