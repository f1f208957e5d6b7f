internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

/// Decides when a provider token is made again, and on which connections it may be presented.
///
/// APNs wants a new one at least every 60 minutes and at most every 20 on one connection. Ours live 50 minutes by the wall
/// clock, which is the server's measure too: a clock that was set makes a new one.
struct TokenRotation: Sendable, Hashable {
    /// How long a token is used: ten minutes remain for requests in flight, and for different clocks.
    static let lifetime = Duration.seconds(50 * 60)
    /// The age below which a new token would have the same time, so that only the clocks can differ.
    static let youngest = Duration.seconds(60)
    /// How long a connection keeps its token.
    static let changeInterval = Duration.seconds(Limits.providerTokenUpdateSecondsMin)

    /// A token of this number, which counts from 1, as it was presented on a connection.
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
        /// Make a new one, dated now.
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
