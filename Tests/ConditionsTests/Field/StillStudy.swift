internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// Devices that do not move, and the events each rule makes of it: all of them false.
struct StillStudy: Sendable {
    /// How many false events a rule made, over how many seconds of devices times fences.
    struct Count: Sendable {
        var events = 0
        var seconds = 0.0

        /// False events in a day of one device with one fence.
        var perDay: Double { self.seconds > 0 ? Double(self.events) / self.seconds * 86_400 : 0 }
    }

    /// The distances of the device from the boundary of a 100 m fence, in metres; negative outside.
    static let margins = [100.0, 50, 20, -20, -50]
    /// As close as a device can be that is still on one side.
    static let onTheEdge = [5.0, -5]

    /// Counts false events on a log of a device that stays at a place.
    ///
    /// - Parameters:
    ///   - observations: the log.
    ///   - place: where the device truly is.
    ///   - margins: how far inside of the fence it is, in metres.
    /// - Returns: the counts of each rule.
    static func count(_ observations: [Observation], at place: QuantizedCoordinate, margins: [Double]) -> [Rule: Count]
    {
        var counts: [Rule: Count] = [:]
        for margin in margins {
            for (east, north) in [(1.0, 0.0), (-0.6, 0.8)] {
                let center = place.offset(east: east * (100 - margin), north: north * (100 - margin))
                guard let circle = ConditionCircle(center: center, radius: 100_000) else { continue }
                var deciders = Rule.allCases.map { Decider($0, circle: circle, side: margin > 0 ? .inside : .outside) }
                for observation in observations {
                    let distance = Double(circle.distance(to: observation.point)) / 1000
                    for (index, rule) in Rule.allCases.enumerated()
                    where deciders[index].observed(observation, distance: distance) != nil {
                        counts[rule, default: Count()].events += 1
                    }
                }
                guard let first = observations.first, let last = observations.last else { continue }
                for rule in Rule.allCases { counts[rule, default: Count()].seconds += last.second - first.second }
            }
        }
        return counts
    }

    /// Counts on a modelled receiver, a fix every ten seconds.
    ///
    /// - Parameters:
    ///   - kind: the receiver.
    ///   - days: for how long.
    ///   - margins: how far inside of the fence it is, in metres.
    /// - Returns: the counts of each rule.
    static func model(_ kind: ModelReceiver.Kind, days: Int, margins: [Double]) -> [Rule: Count] {
        var receiver = ModelReceiver(kind, seed: 14)
        // It has been on for a while: its error begins anywhere.
        for second in stride(from: -3600.0, to: 0, by: 10) {
            _ = receiver.observe(Track.origin, second: second, speed: 0)
        }
        let observations = stride(from: 10.0, to: Double(days) * 86_400, by: 10).map {
            receiver.observe(Track.origin, second: $0, speed: 0)
        }
        return Self.count(observations, at: Track.origin, margins: margins)
    }
}
