/// How long the device took, told inside the answer, counted from the moment it received the push.
public struct DeviceTimings: Sendable, Hashable {
    /// Until the extension ran.
    public let started: Duration
    /// Until there was a fix, or the reason why there is none.
    public let fix: Duration
    /// Until the answer's key was encapsulated; what is left then is a few microseconds.
    public let sealed: Duration

    /// Creates timings.
    public init(started: Duration, fix: Duration, sealed: Duration) {
        self.started = started
        self.fix = fix
        self.sealed = sealed
    }
}
