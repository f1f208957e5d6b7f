/// A time on an engine's monotonic clock: on a device, the clock that includes suspension (`CLOCK_BOOTTIME`); in
/// servers, the event loop's clock.
///
/// It is not a date: the wall clock may jump, but this clock does not. See ADR 0003.
public struct EngineInstant: Sendable, Hashable, InstantProtocol {
    /// The time since the device booted; never negative.
    public var sinceStart: Duration

    /// Creates an instant.
    public init(sinceStart: Duration) {
        precondition(sinceStart >= .zero, "an instant must not be before the start of the clock")
        self.sinceStart = sinceStart
    }

    /// Returns the instant `duration` later.
    public func advanced(by duration: Duration) -> EngineInstant {
        EngineInstant(sinceStart: self.sinceStart + duration)
    }

    /// Returns the time from this instant to `other`; positive when `other` is later.
    public func duration(to other: EngineInstant) -> Duration {
        other.sinceStart - self.sinceStart
    }

    /// Returns the instant `duration` earlier, but not before the start.
    public static func - (instant: EngineInstant, duration: Duration) -> EngineInstant {
        EngineInstant(sinceStart: max(.zero, instant.sinceStart - duration))
    }

    /// Returns whether the left instant is the earlier one.
    public static func < (lhs: EngineInstant, rhs: EngineInstant) -> Bool {
        lhs.sinceStart < rhs.sinceStart
    }
}

extension EngineInstant? {
    /// Replaces the instant by an earlier one; nil means never.
    package mutating func lower(to other: EngineInstant?) {
        guard let other else { return }
        if self.map({ other < $0 }) ?? true { self = other }
    }
}
