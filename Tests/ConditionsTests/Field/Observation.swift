internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// A fix of a log or of a modelled receiver, as every rule is given it.
struct Observation: Sendable {
    /// Seconds since the start of the log.
    let second: Double
    let point: QuantizedCoordinate
    /// Metres; nil when the receiver tells none.
    let accuracy: Double?
    /// Metres a second; nil when the receiver tells none.
    let speed: Double?

    /// The fix as conditions see it.
    func sighting(_ policy: BeliefPolicy) -> Sighting {
        let now = Now(
            monotonic: EngineInstant(sinceStart: .milliseconds(Int(self.second * 1000) + 10_000_000)),
            wall: WallTime(seconds: 1_800_000_000).advanced(by: .milliseconds(Int(self.second * 1000)))
        )
        return Sighting(
            point: self.point,
            accuracy: self.accuracy.map { Int64($0 * 1000) },
            speed: self.speed.map { Int64($0 * 1000) },
            time: now.wall,
            now: now,
            policy: policy
        )
    }
}
