/// How long to wait before the next attempt after a failure; the wait grows between two bounds.
///
/// There are two rules. ``next()`` doubles the wait. ``next(using:)`` adds jitter for the many clients of a server, so
/// that they do not all come back at the same time: each wait is random between the shortest and three times the
/// previous one (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
package struct Backoff: Sendable, Hashable {
    package let shortest: Duration
    /// The longest wait.
    package let longest: Duration
    private var last: Duration?

    /// Creates a backoff without failures.
    package init(from shortest: Duration, to longest: Duration) {
        precondition(shortest >= .zero && longest >= .zero, "waits must be ≥ 0, got \(shortest) to \(longest)")
        self.shortest = min(shortest, longest)
        self.longest = longest
    }

    /// Returns the next wait: first the shortest, then twice the previous one.
    package mutating func next() -> Duration {
        let wait = self.last.map(self.doubled) ?? self.shortest
        self.last = wait
        return wait
    }

    /// Returns the next wait with decorrelated jitter: random between the shortest and three times the previous one.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let span = (self.last ?? self.shortest) * 3 - self.shortest
        let wait = min(self.longest, self.shortest + span * Double.random(in: 0...1, using: &generator))
        self.last = wait
        return wait
    }

    /// Starts over with the shortest wait, after a successful attempt.
    package mutating func reset() {
        self.last = nil
    }

    /// Returns the shortest wait doubled this many times, for state machines that count failures themselves.
    package func wait(doublings: Int) -> Duration {
        var wait = self.shortest
        // Limit the doublings, since zero stays zero; 127 doublings of an attosecond exceed a Duration.
        for _ in 0..<min(doublings, 127) where wait < self.longest { wait = self.doubled(wait) }
        return wait
    }

    private func doubled(_ wait: Duration) -> Duration {
        // Compare before doubling, so that the result cannot overflow.
        wait > self.longest / 2 ? self.longest : wait * 2
    }
}
