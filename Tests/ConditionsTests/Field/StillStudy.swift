internal import WhereaboutsConditions
internal import WhereaboutsGeodesy

/// Counts the events that each rule reports for devices at rest.
///
/// All of these events are false.
struct StillStudy: Sendable {
    /// How many false events a rule made, over how many seconds of devices times fences.
    struct Count: Sendable {
        var events = 0
        var seconds = 0.0

        /// False events in a month of one device with one fence.
        var perMonth: Double { self.seconds > 0 ? Double(self.events) / self.seconds * 86_400 * 30 : 0 }
    }

    /// The distances of the device from the boundary of a 100 m fence, in metres; negative outside.
    static let margins = [100.0, 50, 20, -20, -50]
    /// As close as a device can be that is still on one side.
    static let onTheEdge = [5.0, -5]

    /// Counts false events on a log of a device that stays at a place.
    ///
    /// - Parameters:
    ///   - observations: the log; events before second 0 do not count.
    ///   - place: where the device truly is.
    ///   - margins: how far inside of the fence it is, in metres.
    ///   - rules: the rules.
    ///   - policy: the numbers of our rule.
    /// - Returns: the counts of each rule.
    static func count(
        _ observations: [Observation],
        at place: QuantizedCoordinate,
        margins: [Double],
        rules: [Rule] = Rule.allCases,
        policy: BeliefPolicy = BeliefPolicy()
    ) -> [Rule: Count] {
        var counts: [Rule: Count] = [:]
        for margin in margins {
            for (east, north) in [(1.0, 0.0), (-0.6, 0.8)] {
                let center = place.offset(east: east * (100 - margin), north: north * (100 - margin))
                guard let circle = ConditionCircle(center: center, radius: 100_000) else { continue }
                for rule in rules {
                    let side: Side = margin > 0 ? .inside : .outside
                    var decider = Decider(rule, circle: circle, side: side, policy: policy)
                    for observation in observations {
                        let distance = Double(circle.distance(to: observation.point)) / 1000
                        let isEvent = decider.observed(observation, distance: distance) != nil
                        if isEvent, observation.second >= 0 { counts[rule, default: Count()].events += 1 }
                    }
                    guard let first = observations.first, let last = observations.last else { continue }
                    counts[rule, default: Count()].seconds += last.second - max(first.second, 0)
                }
            }
        }
        return counts
    }

    /// Counts on a modelled receiver that has been on for an hour.
    ///
    /// - Parameters:
    ///   - noise: the receiver.
    ///   - interval: the seconds from fix to fix.
    ///   - days: for how long.
    ///   - margins: how far inside of the fence it is, in metres.
    ///   - rules: the rules.
    ///   - policy: the numbers of our rule.
    /// - Returns: the counts of each rule.
    static func model(
        _ noise: ModelReceiver.Noise,
        every interval: Double,
        days: Double,
        margins: [Double] = Self.margins,
        rules: [Rule] = Rule.allCases,
        policy: BeliefPolicy = BeliefPolicy()
    ) -> [Rule: Count] {
        var receiver = ModelReceiver(noise, seed: 14)
        let observations = stride(from: -3600.0, to: days * 86_400, by: interval).map {
            receiver.observe(Track.origin, second: $0, speed: 0)
        }
        return Self.count(observations, at: Track.origin, margins: margins, rules: rules, policy: policy)
    }
}
