public import WhereaboutsVocabulary

/// Decides when the next position is requested, so that the receiver is off in between.
///
/// The wait is the longer of two times: in the first, the device cannot reach the nearest boundary at any plausible
/// speed. In the second, it cannot reach the boundary at its present speed with some acceleration, or at a walk; this
/// time is at most the latency that apps expect. 80 m from a boundary, a device at home is located every minute; on a
/// motorway, 50 km from any boundary, after 23 minutes. A still device waits for at least ``LookPolicy/stillPause``.
public enum LookAhead: Sendable, Hashable {
    /// The receiver stays on: a boundary is near, or the last fix is in doubt.
    case stayOn
    /// The receiver may be off until then.
    case lookAt(EngineInstant)

    /// Decides after a fix.
    ///
    /// - Parameters:
    ///   - boundary: the distance to the nearest boundary in millimetres, or a lower bound of it.
    ///   - sighting: the last fix.
    ///   - measuredSpeed: the speed over the distance since the last position, in millimetres a second; used if the
    ///     receiver reports none.
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
