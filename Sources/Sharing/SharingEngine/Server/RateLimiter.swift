package import WhereaboutsVocabulary

/// Limits how often an address may store data that outlives its connection: registrations, links, and revocations of
/// unknown sharers; and how often it may look for missing links.
///
/// A stranger creates key pairs at no cost, so limits per identity have no effect; known sharers have an allowance
/// beside that of newcomers, so that a stranger behind the same address cannot prevent renewals.
package struct RateLimiter: Sendable {
    private let policy: SharingPolicy
    private var newcomers: KeyedGCRA<AddressBlock>
    private var sharers: KeyedGCRA<AddressBlock>
    private var misses: KeyedGCRA<AddressBlock>

    /// Creates an unused rate limiter.
    package init(policy: SharingPolicy) {
        func allowance(_ pace: Pace) -> KeyedGCRA<AddressBlock> { .init(burst: pace.burst, every: pace.interval) }
        self.policy = policy
        self.newcomers = allowance(policy.newcomerPace)
        self.sharers = allowance(policy.registrationPace)
        self.misses = allowance(SharingPolicy.linkMissPace)
    }

    /// Actions returned for a statement.
    package enum OnStatement: Sendable, Hashable {
        case admit
        /// Refuse it for that time.
        case tooSoon(after: Duration)
    }

    /// Records a registration or a link to be stored.
    ///
    /// - Parameters:
    ///   - isKnown: whether the sharer has a registration.
    ///   - address: where the connection comes from.
    ///   - now: the time.
    /// - Returns: what to do.
    package mutating func registrationReceived(
        isKnown: Bool,
        from address: AddressBlock,
        now: EngineInstant
    ) -> OnStatement {
        guard isKnown else { return self.newcomerCame(from: address, now: now) }
        guard self.sharers.take(for: address, now: now) else {
            return .tooSoon(after: self.policy.registrationPace.interval)
        }
        return .admit
    }

    /// Records a revocation; those of known sharers are counted in the store, and never wait.
    ///
    /// - Parameters:
    ///   - isKnown: whether the sharer has a registration.
    ///   - address: where the connection comes from.
    ///   - now: the time.
    /// - Returns: what to do.
    package mutating func revocationReceived(
        isKnown: Bool,
        from address: AddressBlock,
        now: EngineInstant
    ) -> OnStatement {
        isKnown ? .admit : self.newcomerCame(from: address, now: now)
    }

    /// Records a look-up of a link: a miss until ``linkFound(from:)``, so that many simultaneous looks are limited,
    /// too.
    ///
    /// - Returns: what to do; a link that is there is not shown to an address that missed too often, or its guess would be confirmed.
    package mutating func linkWanted(from address: AddressBlock, now: EngineInstant) -> OnStatement {
        guard self.misses.take(for: address, now: now) else {
            return .tooSoon(after: SharingPolicy.linkMissPace.interval)
        }
        return .admit
    }

    /// Records that the link was there.
    package mutating func linkFound(from address: AddressBlock) { self.misses.putBack(for: address) }

    private mutating func newcomerCame(from address: AddressBlock, now: EngineInstant) -> OnStatement {
        guard self.newcomers.take(for: address, now: now) else {
            return .tooSoon(after: self.policy.newcomerPace.interval)
        }
        return .admit
    }
}
