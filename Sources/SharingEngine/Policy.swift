/// Every number the sharing server decides by, with its source.
public struct Policy: Sendable, Hashable {
    /// How long a device has to answer after the push was accepted; greater than zero, default 30 s.
    ///
    /// Source: *documented*, a location push service extension has about 30 s (Apple, "Creating a location push service
    /// extension").
    public let allowance: Duration
    /// How long after a push attempt the next one is made, when the first was not answered or failed for the moment;
    /// greater than zero, default 5 s.
    ///
    /// Source: our choice; a push is answered within a second, and the allowance leaves room for five attempts.
    public let pushRetry: Duration
    /// The longest a request may live from issue to expiry; greater than zero, default 10 min.
    ///
    /// Source: our choice; the client SDK asks for 2 min, and seen ids are kept for as long.
    public let lifetimeMax: Duration
    /// How far ahead of ours a requester's clock may be; not negative, default 2 min.
    ///
    /// Source: our choice; phones keep time to seconds, small boards without a battery to minutes.
    public let clockSkewMax: Duration
    /// How many requests of one device may be unfinished, greater than zero, default 16; beyond it the answer is too soon.
    ///
    /// Source: our choice; each is sealed within about 0.3 ms, so one wake answers all of them.
    public let pendingPerDeviceMax: Int
    /// How many revocations of one sharer are kept until their grants end, greater than zero, default 1000; beyond it the
    /// server says no, and the device alone refuses.
    ///
    /// Source: our choice; a grant a day that is taken back, each made for years.
    public let revocationsPerSharerMax: Int

    /// Creates a policy; what is not given is the default.
    public init(
        allowance: Duration = .seconds(30),
        pushRetry: Duration = .seconds(5),
        lifetimeMax: Duration = .seconds(600),
        clockSkewMax: Duration = .seconds(120),
        pendingPerDeviceMax: Int = 16,
        revocationsPerSharerMax: Int = 1000
    ) {
        precondition(allowance > .zero, "allowance must be > 0 s, got \(allowance)")
        precondition(pushRetry > .zero, "pushRetry must be > 0 s, got \(pushRetry)")
        precondition(lifetimeMax > .zero, "lifetimeMax must be > 0 s, got \(lifetimeMax)")
        precondition(clockSkewMax >= .zero, "clockSkewMax must be >= 0 s, got \(clockSkewMax)")
        precondition(pendingPerDeviceMax > 0, "pendingPerDeviceMax must be > 0, got \(pendingPerDeviceMax)")
        precondition(revocationsPerSharerMax > 0, "revocationsPerSharerMax must be > 0, got \(revocationsPerSharerMax)")
        self.allowance = allowance
        self.pushRetry = pushRetry
        self.lifetimeMax = lifetimeMax
        self.clockSkewMax = clockSkewMax
        self.pendingPerDeviceMax = pendingPerDeviceMax
        self.revocationsPerSharerMax = revocationsPerSharerMax
    }
}
