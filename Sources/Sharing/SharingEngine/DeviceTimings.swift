/// The times that the device took, each since it received the push, as reported inside the answer.
public struct DeviceTimings: Sendable, Hashable {
    /// The time until the extension ran.
    public let started: Duration
    /// The time until the fix, or until the reason why there is none.
    public let fix: Duration
    /// The time until the answer's key was encapsulated; the rest takes a few microseconds.
    public let sealed: Duration

    /// Creates timings.
    public init(started: Duration, fix: Duration, sealed: Duration) {
        self.started = started
        self.fix = fix
        self.sealed = sealed
    }
}
