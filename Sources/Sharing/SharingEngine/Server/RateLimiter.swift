package import WhereaboutsVocabulary

/// Limits how often clients of an address may store data that outlives their connection (registrations, links, and
/// revocations of unknown sharers), and how often they may request missing links.
///
/// Key pairs cost nothing, so limits per identity would have no effect. Known sharers have a separate limit, so that a
/// stranger behind the same address cannot prevent renewals.
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

    /// Actions returned for a message.
    package enum OnStatement: Sendable, Hashable {
        case admit
        /// Refuse the message for this time.
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

    /// Records a revocation; known sharers are never delayed, because the store limits their revocations.
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

    /// Records a request for a link; it counts as a miss until ``linkFound(from:)``, so that simultaneous requests are
    /// limited, too.
    ///
    /// - Returns: what to do; after too many misses, even an existing link is not shown, which would confirm a guess.
    package mutating func linkWanted(from address: AddressBlock, now: EngineInstant) -> OnStatement {
        guard self.misses.take(for: address, now: now) else {
            return .tooSoon(after: SharingPolicy.linkMissPace.interval)
        }
        return .admit
    }

    /// Records that the link exists.
    package mutating func linkFound(from address: AddressBlock) { self.misses.putBack(for: address) }

    private mutating func newcomerCame(from address: AddressBlock, now: EngineInstant) -> OnStatement {
        guard self.newcomers.take(for: address, now: now) else {
            return .tooSoon(after: self.policy.newcomerPace.interval)
        }
        return .admit
    }
}
