public import WhereaboutsVocabulary

/// Decides when to look next where the device is, so that the receiver is off in between.
///
/// Two waits, of which the longer is taken: the time in which the nearest boundary is out of reach at any plausible speed; and
/// the time in which it is out of reach at the speed the device has now, or a walk's, but no more than the latency that apps
/// are to expect. A device at home, 80 m from its fence, is looked for every minute; one on a motorway 50 km from any boundary
/// after 23. A device that is measured to be still rests a while in any case.
public enum LookAhead: Sendable, Hashable {
    /// The receiver stays on: a boundary is near, or the last fix is in doubt.
    case stayOn
    /// The receiver may be off until then.
    case lookAt(EngineInstant)

    /// Decides after a fix.
    ///
    /// - Parameters:
    ///   - boundary: the way to the nearest boundary in millimetres, or a lower bound of it.
    ///   - sighting: the last fix.
    ///   - measuredSpeed: the speed over the way since the look before, in millimetres a second; counts where the receiver
    ///     tells none.
    ///   - isAwaiting: whether the next fixes decide something soon (``Trail/isAwaitingMore``).
    ///   - policy: the numbers.
    public init(
        boundary: Int64,
        after sighting: Sighting,
        measuredSpeed: Int64 = 0,
        isAwaiting: Bool,
        policy: LookPolicy
    ) {
        let clear = max(0, boundary - sighting.sigma)
        let now = max(sighting.speed ?? measuredSpeed, 0)
        let soon = max(min(now, 1_000_000) * policy.acceleration / 100, policy.walkingSpeed)
        let isStill = sighting.speed.map { $0 < policy.stillSpeed } ?? false
        let wait = max(
            Self.time(for: clear, at: policy.plausibleSpeed),
            min(Self.time(for: clear, at: soon), policy.latencyMax),
            isStill ? policy.stillPause : .zero
        )
        guard !isAwaiting, wait >= policy.pauseMin else {
            self = .stayOn
            return
        }
        self = .lookAt(sighting.arrival.advanced(by: wait))
    }

    private static func time(for way: Int64, at speed: Int64) -> Duration {
        .milliseconds(min(way, ConditionCircle.radiusMillimetersMax) * 1000 / max(speed, 1))
    }
}
