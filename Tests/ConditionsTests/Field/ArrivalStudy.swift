internal import WhereaboutsConditions
internal import WhereaboutsGeodesy

/// Simulates people who walk into a geofence and stop at its center, and measures how long each rule takes to report
/// the arrival.
struct ArrivalStudy: Sendable {
    /// The delays of a number of arrivals.
    struct Outcome: Sendable {
        /// The seconds from crossing the boundary to the event, in ascending order; infinite if there was no event
        /// within an hour.
        let delays: [Double]

        var median: Double { self.delays[self.delays.count / 2] }
        var worst: Double { self.delays[self.delays.count - 1] }

        /// The share that was reported within some seconds, 0…1.
        func share(within seconds: Double) -> Double {
            Double(self.delays.count { $0 <= seconds }) / Double(self.delays.count)
        }
    }

    /// Simulates arrivals.
    ///
    /// The receiver is always on, as the engine keeps it on near a boundary.
    ///
    /// - Parameters:
    ///   - noise: the receiver.
    ///   - interval: the seconds from fix to fix.
    ///   - radius: of the fence, in metres.
    ///   - rule: the rule.
    ///   - policy: the numbers of our rule.
    ///   - count: how many people arrive.
    /// - Returns: their delays.
    static func run(
        _ noise: ModelReceiver.Noise,
        every interval: Double,
        radius: Double,
        rule: Rule = .belief,
        policy: BeliefPolicy = BeliefPolicy(),
        count: Int = 100
    ) -> Outcome {
        let (speed, approach) = (1.4, 900.0)
        let delays = (0..<count).map { person -> Double in
            guard let circle = ConditionCircle(center: Track.origin, radius: Int64(radius * 1000)) else { return 0 }
            var receiver = ModelReceiver(noise, seed: UInt64(person) * 7919 + 1)
            var decider = Decider(rule, circle: circle, side: .outside, policy: policy)
            let crossing = approach / speed
            // The phase of the fixes and the error at the start are random.
            var second = Double(person * 37 % 100) / 100 * interval - 1200
            while second < crossing + 3600 {
                let east = max(0, radius + approach - speed * max(second, 0))
                let isWalking = east > 0 && second > 0
                let place = Track.origin.offset(east: east, north: 0)
                let seen = receiver.observe(place, second: second, speed: isWalking ? speed : 0)
                let distance = Double(circle.distance(to: seen.point)) / 1000
                if decider.observed(seen, distance: distance) == .inside { return max(0, second - crossing) }
                second += interval
            }
            return .infinity
        }
        return Outcome(delays: delays.sorted())
    }
}
