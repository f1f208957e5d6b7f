package import WhereaboutsVocabulary

extension Request {
    /// How long a request is valid: people do not wait longer.
    package static let lifetime: Duration = .seconds(120)

    /// Creates a new, unsigned request.
    ///
    /// It does not check whether its author may use the grant: only the server and the device do, by one rule.
    ///
    /// - Parameters:
    ///   - grant: the grant that permits the request.
    ///   - precision: how exact the answer should be.
    ///   - suite: how the answer is sealed.
    ///   - publicKey: what the answer is sealed to; fresh.
    ///   - followMinutes: the length of the live share in minutes; nil for one answer.
    ///   - repetition: the terms of the schedule; nil for one answer.
    ///   - generator: draws the ID.
    ///   - now: the time.
    package init(
        under grant: Signed<Grant>,
        precision: Precision,
        suite: Suite,
        publicKey: [UInt8],
        followMinutes: UInt16? = nil,
        repetition: Repetition? = nil,
        using generator: inout some RandomNumberGenerator,
        now: WallTime
    ) {
        self.init(
            id: RequestID(using: &generator),
            grant: grant,
            precision: precision,
            suite: suite,
            publicKey: publicKey,
            issued: now,
            expires: now.advanced(by: Self.lifetime),
            followMinutes: followMinutes,
            repetition: repetition
        )
    }
}
