internal import WhereaboutsGeodesy
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

extension Benchmark {
    /// The time from an incident to the decision about its first 30 pushes, among 10,000, 100,000 and 1,000,000 volunteers.
    ///
    /// *p99*: against the aim of 50 ms. *growth*: against the same work among 10,000 volunteers.
    static let dispatch = Benchmark(name: "dispatch") {
        let (small, middle, large) = (
            DispatchTimes.measure(10_000), DispatchTimes.measure(100_000), DispatchTimes.measure(1_000_000)
        )
        func figure(_ name: String, _ value: Double, _ reference: Double, _ what: String) -> Figure {
            Figure(name: name, value: value, unit: "ms", ratio: value / reference, reference: what)
        }
        return [
            figure("p99", large.quantile(0.99), 50, "the aim of 50 ms"),
            figure("growth-10", middle.quantile(0.5), small.quantile(0.5), "10,000 volunteers"),
            figure("growth-100", large.quantile(0.5), small.quantile(0.5), "10,000 volunteers"),
        ]
    }
}

/// Incidents at random places in a square that has 20 volunteers in each cell.
private enum DispatchTimes {
    static let incidents = 2000

    /// Returns the time of each incident in milliseconds.
    static func measure(_ count: Int) -> [Double] {
        var policy = DispatchPolicy()
        policy.phases[0].open = 30
        // The wakes of one incident must not shorten the search of the next one.
        policy.wakesMax = .max
        var (dispatch, random) = (Dispatch(policy: policy), SeededGenerator(seed: 1))
        let now = Now(monotonic: EngineInstant(sinceStart: .zero), wall: WallTime(seconds: 1_800_000_000))
        let side = Int((Double(count) / 20).squareRoot())
        let first = 10_000 - side / 2
        func cell() -> Grid.Cell {
            Grid.Cell(
                row: first + .random(in: 0..<side, using: &random),
                column: 5000 + .random(in: 0..<side, using: &random)
            )
        }
        for number in 0..<count {
            let id = VolunteerID(high: 0, low: UInt64(number))
            guard let volunteer = Volunteer(id: id, cells: [cell()], hours: nil, skills: .cpr, reach: 5000) else {
                continue
            }
            _ = dispatch.handle(.enrolled(volunteer), now: now, using: &random)
        }
        let dispatcher = Dispatcher(id: DispatcherID(high: 1, low: 1), center: cell(), radius: 10_000_000)
        return (0..<self.incidents).compactMap { number in
            let incident = Incident(
                id: IncidentID(high: 1, low: UInt64(number)),
                cell: cell(),
                priority: .arrest,
                responders: 1,
                needsAED: false,
                signed: now.wall
            )
            guard let incident else { return nil }
            var alerts = 0
            let elapsed = ContinuousClock().measure {
                alerts = dispatch.handle(.opened(incident, by: dispatcher), now: now, using: &random).count
            }
            precondition(alerts >= 30, "an incident must alert 30 people, got \(alerts)")
            _ = dispatch.handle(.closed(incident.id, by: dispatcher.id, isFalseAlarm: false), now: now, using: &random)
            return elapsed / .milliseconds(1)
        }
    }
}
