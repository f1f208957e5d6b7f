package import WhereaboutsVocabulary

extension Request {
    /// How long a request is valid: experience shows that people do not wait longer.
    package static let lifetime: Duration = .seconds(120)

    /// Creates a new, unsigned request.
    ///
    /// The server and the device alone check whether its author may use the grant, so that there is only one rule.
    ///
    /// - Parameters:
    ///   - grant: what allows it.
    ///   - precision: how exact the answer should be.
    ///   - suite: how the answer is sealed.
    ///   - publicKey: what the answer is sealed to; fresh.
    ///   - followMinutes: for how long to follow; nil for one answer.
    ///   - repetition: the timer; nil for one answer.
    ///   - generator: where the id comes from.
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
