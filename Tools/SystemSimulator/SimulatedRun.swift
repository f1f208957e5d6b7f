/// One run of a scenario, and its outcome.
package struct SimulatedRun: Sendable {
    /// The scenario that was run.
    package let scenario: Scenario
    /// The rule that was broken; nil: none was.
    package let violation: Violation?
    /// The virtual time that passed.
    package let elapsed: Duration
    /// The trace of all events.
    package let trace: Trace
    /// The counts of events; empty if no census was taken.
    package let census: Census
    /// The number of writes to each machine's disk, without machines that wrote nothing.
    package let writes: [(node: NodeID, count: Int)]
    /// The number of requests that were made.
    package let requests: Int
    /// The number of requests that were answered with a position.
    package let answered: Int

    /// Runs a scenario to its end, or to the first violation.
    ///
    /// - Parameters:
    ///   - scenario: the scenario.
    ///   - keepsLines: whether the trace keeps its last lines as text.
    ///   - takesCensus: whether events are counted.
    package init(_ scenario: Scenario, keepsLines: Bool = false, takesCensus: Bool = false) {
        let world = Simulation(scenario, keepsLines: keepsLines, takesCensus: takesCensus)
        for node in world.nodes { node.start() }
        world.planActs()
        let end = Progress(world).plan()
        world.run(until: end)
        if world.violation == nil { world.auditors.requests.finished() }
        if world.violation == nil { world.auditors.devices.finished() }
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
