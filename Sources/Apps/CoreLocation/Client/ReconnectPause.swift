internal import WhereaboutsVocabulary

/// How long a client that lost locationd waits before it tries to reach it again: 50 ms, doubling to 2 s.
///
/// Soon after a restart, and without a busy loop when there is no locationd. The longest is well below the time in which
/// an app has to retake what it held (5 s, ADR 0009): a restart, however long, costs no background session.
package struct ReconnectPause: Sendable {
    /// A connection that lasted this long was a good one.
    ///
    /// Source: our choice; longer than the life of a locationd that fails at its start.
    private static let steady = Duration.seconds(5)

    private var backoff = Backoff(from: .milliseconds(50), to: .seconds(2))

    /// Creates the pause before the first attempt.
    package init() {}

    /// Returns how long to wait before the next attempt.
    package mutating func take() -> Duration {
        self.backoff.next()
    }

    /// Records that a connection ended; anyone who is refused, or cut off at once, does not come back at once.
    ///
    /// - Parameter lasted: how long it was open.
    package mutating func connectionEnded(after lasted: Duration) {
        if lasted > Self.steady { self.backoff.reset() }
    }
}
