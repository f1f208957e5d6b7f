/// One run of a scenario and what came of it.
package struct SimulatedRun: Sendable {
    /// What was run.
    package let scenario: Scenario
    /// What must never be, if it was.
    package let violation: Violation?
    /// How much virtual time passed.
    package let elapsed: Duration
    /// What all that happened comes to.
    package let trace: Trace
    /// How often what happened; empty where no census was taken.
    package let census: Census
    /// How often each machine wrote to its disk, for those that did.
    package let writes: [(node: NodeID, count: Int)]
    /// How many requests were made.
    package let requests: Int
    /// How many of them were answered with a position.
    package let answered: Int

    /// Runs a scenario to its end, or to the first violation.
    ///
    /// - Parameters:
    ///   - scenario: what happens.
    ///   - keepsLines: whether the last of what happened is kept as text.
    ///   - takesCensus: whether it is counted how often what happened.
    package init(_ scenario: Scenario, keepsLines: Bool = false, takesCensus: Bool = false) {
        let world = Simulation(scenario, keepsLines: keepsLines, takesCensus: takesCensus)
        for node in world.nodes { node.start() }
        world.planActs()
        let end = Progress(world).plan()
        world.run(until: end)
        if world.violation == nil { world.auditors.requests.finished() }
        self.scenario = scenario
        self.violation = world.violation
        self.elapsed = Instant.start.duration(to: world.now)
        self.trace = world.trace
        self.census = world.census
        self.writes = world.nodes.map { ($0.id, $0.writes) }.filter { $0.count > 0 }
        self.requests = world.auditors.requests.count
        self.answered = world.auditors.requests.answered
    }
}
