internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

/// Decides when a new provider token is made, and on which connections it may be presented.
///
/// APNs requires a new token at least every 60 minutes, and at most every 20 minutes on one connection. Ours are used for 50
/// minutes by the wall clock, which the server also uses. If the clock is set back, a new token is made.
struct TokenRotation: Sendable, Hashable {
    /// How long a token is used: ten minutes remain for requests in transit and for clock differences.
    static let lifetime = Duration.seconds(50 * 60)
    /// The age below which a stale token is not replaced: only a clock difference can be the cause, which a new token would not fix.
    static let youngest = Duration.seconds(60)
    /// How long a connection keeps its token.
    static let changeInterval = Duration.seconds(Limits.providerTokenUpdateSecondsMin)

    /// The number of a token, from 1, and when it was first presented on a connection.
    struct Presented: Sendable, Hashable {
        let number: Int
        let since: EngineInstant
    }

    /// The number of the newest token; 0 before the first.
    private(set) var number = 0
    private var issuedAt: WallTime?

    /// Actions returned by ``tokenNeeded(now:)``.
    enum OnNeed: Sendable, Hashable {
        /// The newest token is fresh.
        case keep
        /// Make a new token with the present time.
        case make
    }

    /// Records that a push is about to be sent.
    mutating func tokenNeeded(now: WallTime) -> OnNeed {
        if let issuedAt = self.issuedAt {
            let age = issuedAt.duration(to: now)
            if age >= .zero, age < Self.lifetime { return .keep }
        }
        self.issuedAt = now
        self.number += 1
        return .make
    }

    /// Records that the server considered a token stale.
    mutating func tokenExpired(_ number: Int, now: WallTime) {
        guard number == self.number, let issuedAt = self.issuedAt else { return }
        if issuedAt.duration(to: now) >= Self.youngest { self.issuedAt = nil }
    }

    /// Returns whether the newest token may be presented on a connection that saw another.
    func mayFollow(_ last: Presented?, now: EngineInstant) -> Bool {
        guard let last, last.number != self.number else { return true }
        return last.since.duration(to: now) >= Self.changeInterval
    }
}
