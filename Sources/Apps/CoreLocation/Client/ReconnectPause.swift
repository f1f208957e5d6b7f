internal import WhereaboutsVocabulary

/// The pause before a client that lost locationd tries to connect again: 50 ms, doubling to 2 s.
///
/// Short pauses find a restarted locationd quickly; long ones cost little when none runs. The longest pause is far below the 5 s in which
/// an app must create its sessions again (ADR 0009), so that a restart ends no background session.
package struct ReconnectPause: Sendable {
    /// The least duration of a connection after which the pauses start again at the shortest.
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

    /// Records that a connection ended; after a short connection, such as a refused one, the pauses keep growing.
    ///
    /// - Parameter lasted: the duration of the connection.
    package mutating func connectionEnded(after lasted: Duration) {
        if lasted > Self.steady { self.backoff.reset() }
    }
}
