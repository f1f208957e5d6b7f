package import Vocabulary

extension Grant {
    /// Makes the terms of a grant that holds from now on; nothing is signed.
    ///
    /// - Parameters:
    ///   - requester: who may ask.
    ///   - sharer: who allows.
    ///   - precision: the most exact answer allowed.
    ///   - duration: for how long.
    ///   - interval: the least time between two requests; whole seconds.
    ///   - generator: where the id comes from.
    ///   - now: the time.
    /// - Throws: ``SharingError`` when it would allow nothing.
    package init(
        to requester: PublicIdentity,
        by sharer: PublicIdentity,
        precision: Precision,
        for duration: Duration,
        atMostEvery interval: Duration,
        using generator: inout some RandomNumberGenerator,
        now: WallTime
    ) throws(SharingError) {
        guard duration <= SharingPolicy.grantLifetimeMax else {
            throw SharingError(
                .badText,
                "a grant for \(duration) is too long: at most \(SharingPolicy.grantLifetimeMax) are due, which is ten years, because "
                    + "a server forgets revocations after that; give a shorter one"
            )
        }
        guard duration > .zero, interval >= .zero, interval <= duration else {
            throw SharingError(
                .badText,
                "a grant for \(duration) with a request every \(interval) allows nothing: "
                    + "the duration must be longer than zero and than the interval; give a longer one"
            )
        }
        self.init(
            id: GrantID(using: &generator),
            sharer: sharer,
            requester: requester,
            precision: precision,
            notBefore: now,
            notAfter: now.advanced(by: duration),
            intervalMin: UInt32(clamping: interval.components.seconds)
        )
    }
}

extension Grant {
    /// How often requests are let in under the grant.
    package func pace(_ policy: SharingPolicy) -> Pace {
        self.intervalMin == 0 ? policy.requestPace : Pace(interval: .seconds(Int64(self.intervalMin)))
    }
}
