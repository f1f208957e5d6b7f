package import WhereaboutsVocabulary

/// How often an address may leave in the store what stays there after its connection: registrations, and revocations of sharers
/// who have none.
///
/// A key pair costs a stranger nothing, so that identities bound nobody; known sharers have an allowance beside that of
/// newcomers, so that a stranger in the same building keeps nobody from renewing.
package struct RateLimiter: Sendable {
    private let policy: SharingPolicy
    private var newcomers: KeyedGCRA<AddressBlock>
    private var sharers: KeyedGCRA<AddressBlock>

    /// Creates a rateLimiter who has seen nobody.
    package init(policy: SharingPolicy) {
        func allowance(_ pace: Pace) -> KeyedGCRA<AddressBlock> { .init(burst: pace.burst, every: pace.interval) }
        self.policy = policy
        self.newcomers = allowance(policy.newcomerPace)
        self.sharers = allowance(policy.registrationPace)
    }

    /// Actions returned for a statement.
    package enum OnStatement: Sendable, Hashable {
        case admit
        /// Say that one is welcome after that time.
        case tooSoon(after: Duration)
    }

    /// Records a registration to be stored.
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

    /// Records a revocation to be stored; a known sharer's are counted in the store, and wait for nothing.
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

    private mutating func newcomerCame(from address: AddressBlock, now: EngineInstant) -> OnStatement {
        guard self.newcomers.take(for: address, now: now) else {
            return .tooSoon(after: self.policy.newcomerPace.interval)
        }
        return .admit
    }
}
