extension Scenario {
    /// A world without trouble: that many devices, each asked every five minutes, for benchmarks.
    ///
    /// - Parameters:
    ///   - devices: how many.
    ///   - minutes: how many minutes they are asked, after the first half minute.
    /// - Returns: the world.
    package static func fleet(devices: Int, minutes: Int) -> Scenario {
        var scenario = Scenario(empty: 1, healsAt: minutes * 60 + 30)
        for device in 0..<devices {
            scenario.devices.append(
                DevicePlan(
                    speed: device % 20,
                    apps: [AppPlan(kind: .friends, isExplicit: device % 2 == 0, isReduced: false)],
                    habit: .allowsAll
                )
            )
            scenario.requesters.append(RequesterPlan(clockError: 0))
            scenario.grants.append(
                GrantPlan(
                    device: device,
                    app: 0,
                    requester: device,
                    isFull: true,
                    holds: -3600...1_000_000,
                    interval: 0
                )
            )
            scenario.acts.append(Act(at: 500, what: .open(device: device, app: 0)))
            for round in 0..<minutes / 5 {
                // Spread evenly, so that requests never pause.
                let at = 30_000 + round * 300_000 + device * 300_000 / devices
                scenario.acts.append(Act(at: at, what: .ask(grant: device, precisely: true, xWing: device % 4 == 0)))
            }
        }
        scenario.acts.sort { $0.at < $1.at }
        return scenario
    }
}
