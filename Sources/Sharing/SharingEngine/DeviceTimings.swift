/// The times that the device took, each since it received the push, as reported inside the answer.
public struct DeviceTimings: Sendable, Hashable {
    /// Until the extension ran.
    public let started: Duration
    /// Until the fix, or the reason why there is none.
    public let fix: Duration
    /// Until the answer's key was encapsulated; the rest is a few microseconds.
    public let sealed: Duration

    /// Creates timings.
    public init(started: Duration, fix: Duration, sealed: Duration) {
        self.started = started
        self.fix = fix
        self.sealed = sealed
    }
}
