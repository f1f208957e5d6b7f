/// How long to wait before the next attempt at something that failed: longer each time, between two bounds.
///
/// Two rules. ``next()`` doubles. ``next(using:)`` is for many clients of one server: jitter keeps those that lost it
/// together from coming back together, and each wait is drawn between the shortest and three times the one before, so
/// that none is shorter than the shortest (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
package struct Backoff: Sendable, Hashable {
    package let shortest: Duration
    /// The longest wait.
    package let longest: Duration
    private var last: Duration?

    /// Creates the back-off of something that has not failed yet.
    package init(from shortest: Duration, to longest: Duration) {
        precondition(shortest >= .zero && longest >= .zero, "a wait is not negative, got \(shortest) to \(longest)")
        self.shortest = min(shortest, longest)
        self.longest = longest
    }

    /// Returns the next wait: the shortest, then twice the one before.
    package mutating func next() -> Duration {
        let wait = self.last.map(self.doubled) ?? self.shortest
        self.last = wait
        return wait
    }

    /// Returns the next wait with decorrelated jitter: drawn between the shortest and three times the one before.
    package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let span = (self.last ?? self.shortest) * 3 - self.shortest
        let wait = min(self.longest, self.shortest + span * Double.random(in: 0...1, using: &generator))
        self.last = wait
        return wait
    }

    /// Starts over, after an attempt that was good.
    package mutating func reset() {
        self.last = nil
    }

    /// Returns the shortest wait doubled this many times, for machines that count failures themselves.
    package func wait(doublings: Int) -> Duration {
        var wait = self.shortest
        // Doubling zero never ends; 127 doublings of an attosecond exceed a Duration.
        for _ in 0..<min(doublings, 127) where wait < self.longest { wait = self.doubled(wait) }
        return wait
    }

    private func doubled(_ wait: Duration) -> Duration {
        // Compared before it is doubled, so that no bound can overflow.
        wait > self.longest / 2 ? self.longest : wait * 2
    }
}
