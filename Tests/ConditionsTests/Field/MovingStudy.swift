internal import WhereaboutsConditions
internal import WhereaboutsGeodesy

/// Simulates devices that cross boundaries, and measures how late each rule reports it.
struct MovingStudy: Sendable {
    /// The delays of one rule.
    struct Delays: Sendable {
        var seconds: [Double] = []
        var meters: [Double] = []
        var missed = 0
        /// Events beyond one for each crossing.
        var excess = 0

        mutating func add(_ other: Delays) {
            self.seconds += other.seconds
            self.meters += other.meters
            self.missed += other.missed
            self.excess += other.excess
        }
    }

    /// Simulates fences along a track with a fix a second, with a modelled receiver or with the track's positions.
    ///
    /// - Parameters:
    ///   - track: the way.
    ///   - kind: the receiver; nil takes the recorded way as fixes of 5 m.
    ///   - interval: the seconds from fix to fix.
    ///   - every: a fence of 100 m about the place each that many seconds, offset to both sides in turn.
    /// - Returns: the delays of each rule.
    static func delays(
        _ track: Track,
        _ kind: ModelReceiver.Kind?,
        interval: Int = 1,
        every: Int
    ) -> [Rule: Delays] {
        var receiver = kind.map { ModelReceiver($0, seed: UInt64(track.points.count)) }
        let way = track.seconds
        let observations = stride(from: 0, to: way.count, by: interval).map { index in
            let step = way[index]
            let observation = receiver?.observe(step.place, second: step.second, speed: step.speed)
            return (
                index,
                observation ?? Observation(second: step.second, point: step.place, accuracy: 5, speed: step.speed)
            )
        }
        var all: [Rule: Delays] = [:]
        for (number, middle) in stride(from: every / 2, to: way.count, by: every).enumerated() {
            let shift = Double(number % 5 - 2) * 20
            let center = way[middle].place.offset(east: shift, north: -shift)
            guard let circle = ConditionCircle(center: center, radius: 100_000) else { continue }
            let truths = way.map { Double(circle.distance(to: $0.place)) / 1000 }
            let seen = observations.map { Double(circle.distance(to: $0.1.point)) / 1000 }
            let crossings = Self.crossings(truths)
            for rule in Rule.allCases {
                var decider = Decider(rule, circle: circle, side: truths[0] <= 100 ? .inside : .outside)
                var events: [(index: Int, side: Side)] = []
                for ((index, observation), distance) in zip(observations, seen) {
                    if let side = decider.observed(observation, distance: distance) { events.append((index, side)) }
                }
                all[rule, default: Delays()].add(Self.compare(events, crossings, way))
            }
        }
        return all
    }

    /// The true crossings after which the device goes on for 30 m at least, by the index of the first step beyond.
    private static func crossings(_ truths: [Double]) -> [(index: Int, side: Side)] {
        var found: [(index: Int, side: Side)] = []
        var side: Side = truths[0] <= 100 ? .inside : .outside
        var start: Int?
        for (index, distance) in truths.enumerated() {
            let now: Side = distance <= 100 ? .inside : .outside
            start = now == side ? nil : start ?? index
            if let begun = start, abs(distance - 100) >= 30 {
                side = now
                found.append((begun, now))
                start = nil
            }
        }
        return found
    }

    /// The last event for each crossing, up to the next crossing.
    private static func compare(
        _ events: [(index: Int, side: Side)],
        _ crossings: [(index: Int, side: Side)],
        _ way: [(second: Double, place: QuantizedCoordinate, speed: Double)]
    ) -> Delays {
        var delays = Delays()
        var used = 0
        for (number, crossing) in crossings.enumerated() {
            let end = number + 1 < crossings.count ? crossings[number + 1].index : way.count
            // An error that puts the fix beyond may bring the event before the crossing.
            let event = events.first { $0.side == crossing.side && $0.index >= crossing.index - 30 && $0.index < end }
            guard let event else {
                delays.missed += 1
                continue
            }
            used += 1
            let seconds = way[event.index].second - way[crossing.index].second
            delays.seconds.append(seconds)
            delays.meters.append(seconds * way[crossing.index].speed)
        }
        delays.excess = events.count - used
        return delays
    }
}
