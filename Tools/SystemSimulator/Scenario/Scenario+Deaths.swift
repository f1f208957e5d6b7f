extension Scenario {
    /// This world twice for each write of each machine: the machine dies there, before or after the write is on disk.
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
