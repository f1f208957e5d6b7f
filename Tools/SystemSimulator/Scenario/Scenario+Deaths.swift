extension Scenario {
    /// This world once for each write of each machine, and once more: it dies there, before the write is on disk or after it.
    ///
    /// - Returns: the worlds, each of which differs from this one in one death; none for what happens after the healing.
    package func dyingAtEveryWrite() -> [Scenario] {
        SimulatedRun(self).writes.flatMap { node, count in
            (1...count).flatMap { write in
                [false, true].map { isAfter in
                    var scenario = self
                    scenario.deaths = [Death(node: node, write: write, isAfter: isAfter)]
                    return scenario
                }
            }
        }
    }
}
