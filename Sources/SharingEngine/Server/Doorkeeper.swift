package import Vocabulary

/// How often an address may leave in the store what stays there after its connection: registrations, and revocations of sharers
/// who have none.
///
/// A key pair costs a stranger nothing, so that identities bound nobody; known sharers have an allowance beside that of
/// newcomers, so that a stranger in the same building keeps nobody from renewing.
package struct Doorkeeper: Sendable {
    private let policy: SharingPolicy
    private var newcomers: AllowanceBy<AddressBlock>
    private var sharers: AllowanceBy<AddressBlock>

    /// Creates a doorkeeper who has seen nobody.
    package init(policy: SharingPolicy) {
        func allowance(_ pace: Pace) -> AllowanceBy<AddressBlock> { .init(burst: pace.burst, every: pace.interval) }
        self.policy = policy
        self.newcomers = allowance(policy.newcomerPace)
        self.sharers = allowance(policy.registrationPace)
    }

    /// Actions returned by ``statementReceived(isKnown:from:now:)``.
    package enum OnStatement: Sendable, Hashable {
        /// Decide about the statement.
        case admit
        /// Say that one is welcome after that time.
        case tooSoon(after: Duration)
    }

    /// Records a statement that is to be kept.
    ///
    /// - Parameters:
    ///   - isKnown: whether the sharer has a registration.
    ///   - address: where the connection comes from.
    ///   - now: the time.
    /// - Returns: what to do.
    package mutating func statementReceived(
        isKnown: Bool,
        from address: AddressBlock,
        now: EngineInstant
    ) -> OnStatement {
        let isAdmitted =
            isKnown ? self.sharers.take(for: address, now: now) : self.newcomers.take(for: address, now: now)
        guard !isAdmitted else { return .admit }
        return .tooSoon(after: isKnown ? self.policy.registrationPace.interval : self.policy.newcomerPace.interval)
    }
}
