package import WhereaboutsVocabulary

/// The attempts at one exchange with the server, with pauses between them, until the time is up.
package struct Attempts: Sendable, Hashable {
    /// The total time for all attempts, by default.
    ///
    /// Source: our choice; a third of what an extension has, and longer than a server's restart.
    package static let patience: Duration = .seconds(10)
    /// How long one attempt may take; after a stall, the next attempt uses another connection.
    ///
    /// Source: our choice; half of the patience, and five times the slowest reply of a busy server.
    package static let attemptMax: Duration = .seconds(5)

    /// The pauses between attempts, from 200 ms to 2 s.
    ///
    /// Source: our choice; a person who waits does not notice the shortest pause, and several of the longest fit into ``patience``.
    static let backoff = Backoff(from: .milliseconds(200), to: .seconds(2))

    /// When the exchange is given up.
    package let giveUp: EngineInstant
    private var pauses = Self.backoff

    /// Starts an exchange with the default patience.
    package init(now: EngineInstant) {
        self.init(until: now.advanced(by: Self.patience))
    }

    /// Starts an exchange that is retried until `giveUp`.
    package init(until giveUp: EngineInstant) {
        self.giveUp = giveUp
    }

    /// How long an attempt that starts now may take.
    package func timeout(now: EngineInstant) -> Duration {
        min(Self.attemptMax, max(.zero, now.duration(to: self.giveUp)))
    }

    /// Actions returned by ``attemptFailed(now:using:)``.
    package enum OnFailed: Sendable, Hashable {
        case tryAgain(at: EngineInstant)
        /// Report the failure.
        case giveUp
    }

    /// Records that an attempt failed in a way that may be temporary.
    package mutating func attemptFailed(
        now: EngineInstant,
        using generator: inout some RandomNumberGenerator
    ) -> OnFailed {
        let again = now.advanced(by: self.pauses.next(using: &generator))
        return again < self.giveUp ? .tryAgain(at: again) : .giveUp
    }
}
