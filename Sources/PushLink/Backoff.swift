/// How long to wait before the next attempt to connect: exponential with full jitter.
///
/// Full jitter, so that devices that lost a gateway together do not come back together.
struct Backoff: Sendable, Hashable {
    /// The bound of the first wait.
    let base: Duration
    /// The bound of every wait.
    let cap: Duration
    private var bound: Duration

    /// Creates the back-off of a client that has not failed yet.
    init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
        self.bound = base
    }

    /// Returns the next wait, between zero and a bound that doubles each time.
    mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        defer { self.bound = min(self.bound * 2, self.cap) }
        return self.bound * Double.random(in: 0...1, using: &generator)
    }

    /// Starts over, after a connection that was good.
    mutating func reset() {
        self.bound = self.base
    }
}
