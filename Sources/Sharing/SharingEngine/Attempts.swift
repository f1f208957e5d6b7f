package import WhereaboutsVocabulary

/// The attempts at one exchange with the server: again after a pause, until its patience ends.
package struct Attempts: Sendable, Hashable {
    /// How long an exchange is tried in all, by default.
    ///
    /// Source: our choice; a third of what an extension has, and longer than a server's restart.
    package static let patience: Duration = .seconds(10)
    /// How long one attempt may take; after a stall the next one uses another connection.
    ///
    /// Source: our choice; half of the patience, and five times the slowest reply of a busy server.
    package static let attemptMax: Duration = .seconds(5)

    /// The pauses between attempts, before the first one: 200 ms, up to 2 s.
    ///
    /// Source: our choice; the shortest is not noticed by a person who waits, and of the longest there are several in ``patience``.
    static let backoff = Backoff(from: .milliseconds(200), to: .seconds(2))

    /// When the exchange is given up.
    package let giveUp: EngineInstant
    private var pauses = Self.backoff

    /// Starts an exchange with the default patience.
    package init(now: EngineInstant) {
        self.init(until: now.advanced(by: Self.patience))
    }

    /// Starts an exchange that is tried until then.
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
