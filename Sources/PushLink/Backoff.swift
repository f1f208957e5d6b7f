/// How long to wait before the next attempt to connect: exponential with decorrelated jitter.
///
/// Jitter, so that devices that lost a gateway together do not come back together. Decorrelated, so that no wait is shorter
/// than the base: each is drawn between the base and three times the one before (M. Brooker, "Exponential Backoff And
/// Jitter", AWS Architecture Blog, 2015).
struct Backoff: Sendable, Hashable {
    /// The least wait.
    let base: Duration
    /// The bound of every wait.
    let cap: Duration
    private var last: Duration

    /// Creates the back-off of a client that has not failed yet.
    init(base: Duration, cap: Duration) {
        self.base = min(base, cap)
        self.cap = cap
        self.last = self.base
    }

    /// Returns the next wait.
    mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let span = self.last * 3 - self.base
        self.last = min(self.cap, self.base + span * Double.random(in: 0...1, using: &generator))
        return self.last
    }

    /// Starts over, after a connection that was good.
    mutating func reset() {
        self.last = self.base
    }
}
