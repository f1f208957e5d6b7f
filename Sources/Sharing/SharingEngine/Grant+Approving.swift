package import WhereaboutsVocabulary

extension Grant {
    /// Creates the unsigned terms of a grant that is valid from now on.
    ///
    /// - Parameters:
    ///   - requester: the person who may ask.
    ///   - sharer: the person who grants the permission.
    ///   - precision: the most exact answer allowed.
    ///   - duration: how long the grant is valid.
    ///   - interval: the minimum time between two requests; whole seconds.
    ///   - limits: when, and how often.
    ///   - generator: draws the ID.
    ///   - now: the time.
    /// - Throws: ``SharingError`` when the grant would allow nothing.
    package init(
        to requester: PublicIdentity,
        by sharer: PublicIdentity,
        precision: Precision,
        for duration: Duration,
        atMostEvery interval: Duration,
        limits: GrantLimits = GrantLimits(),
        using generator: inout some RandomNumberGenerator,
        now: WallTime
    ) throws(SharingError) {
        guard duration <= SharingPolicy.grantLifetimeMax else {
            throw SharingError(
                .badText,
                "a grant for \(duration.words) is too long: expected at most \(SharingPolicy.grantLifetimeMax.words) (ten years), because "
                    + "a server forgets revocations after that; give a shorter one"
            )
        }
        guard duration > .zero else {
            throw SharingError(.badText, "a grant with no duration allows nothing; give a duration longer than zero")
        }
        guard interval >= .zero, interval <= duration else {
            throw SharingError(
                .badText,
                "a request every \(interval.words) under a grant for \(duration.words) allows nothing: the interval must be from zero to the "
                    + "grant's duration; give a shorter interval, or a longer grant"
            )
        }
        guard limits.usesMax != 0 else {
            throw SharingError(.badText, "a grant with zero uses allows nothing; give a number from 1 to \(UInt16.max)")
        }
        if let minutes = limits.followMinutesMax, !(1...Grant.followMinutesLimit).contains(minutes) {
            throw SharingError(
                .badText,
                "a live share of \(minutes) min cannot be allowed: expected a minute to a day"
            )
        }
        self.init(
            id: GrantID(using: &generator),
            sharer: sharer,
            requester: requester,
            precision: precision,
            notBefore: now,
            notAfter: now.advanced(by: duration),
            intervalMin: UInt32(clamping: interval.components.seconds),
            hours: limits.hours,
            usesMax: limits.usesMax,
            asksPerson: limits.asksPerson,
            followMinutesMax: limits.followMinutesMax
        )
    }
}

extension Grant {
    /// How often requests are accepted under the grant.
    ///
    /// - Parameters:
    ///   - policy: the numbers to decide by.
    ///   - isScarce: whether half of the sharer's pushes are spent; the pace is then at most that of grants without
    ///     an interval.
    /// - Returns: the pace.
    package func pace(_ policy: SharingPolicy, isScarce: Bool = false) -> Pace {
        let own = self.intervalMin == 0 ? policy.requestPace : Pace(interval: .seconds(Int64(self.intervalMin)))
        guard isScarce else { return own }
        return Pace(interval: max(own.interval, policy.requestPace.interval), burst: own.burst)
    }
}

extension Duration {
    /// The duration as people give it: `31d`, `12h`, `90s`.
    fileprivate var words: String {
        let (seconds, rest) = self.components
        guard rest == 0, seconds != 0 else { return "\(self)" }
        let unit = [("d", 86_400), ("h", 3600), ("m", 60)].first { seconds.isMultiple(of: $0.1) } ?? ("s", 1)
        return "\(seconds / unit.1)\(unit.0)"
    }
}
