internal import WhereaboutsVocabulary

extension Scenario {
    /// Draws a world whose only faults are the attacks of strangers and the lies of servers, while honest people send requests.
    ///
    /// - Parameter seed: the number that determines the world.
    /// - Returns: the world.
    package static func besieged(seed: UInt64) -> Scenario {
        var random = SeededGenerator(seed: seed ^ 0x6265_7369)
        var scenario = fleet(devices: Int.random(in: 1...3, using: &random), minutes: 0)
        scenario.seed = seed
        scenario.healsAt = Int.random(in: 120...240, using: &random)
        for device in scenario.devices.indices {
            // The pace of a device's budget: faster requests would use it up.
            var at = 30_000 + device * 1000
            while at < scenario.healsAt * 1000 {
                scenario.acts.append(Act(at: at, what: .ask(grant: device, precisely: true, xWing: device == 0)))
                at += Int.random(in: 15_000...40_000, using: &random)
            }
        }
        scenario.drawAdversaries(&random, from: 5000, most: 4)
        var relays = SeededGenerator(seed: seed ^ 0x7265_6C61)
        scenario.drawBesiegedRelay(&relays)
        var hoards = SeededGenerator(seed: seed ^ 0x686F_6172)
        scenario.drawHoards(&hoards)
        scenario.acts.sort { $0.at < $1.at }
        return scenario
    }

    /// Adds attacks of strangers, and lies of servers.
    ///
    /// - Parameters:
    ///   - random: draws which, and when.
    ///   - start: when the first may begin, in milliseconds.
    ///   - most: the maximum number of adversaries.
    mutating func drawAdversaries(_ random: inout SeededGenerator, from start: Int, most: Int) {
        func any<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
        let end = self.healsAt * 1000
        for _ in 0..<Int.random(in: 1...most, using: &random) {
            let at = Int.random(in: min(start, end)...end, using: &random)
            let span = min(Int.random(in: 5000...40_000, using: &random), end - at)
            let what: Act.What =
                switch Int.random(in: 0..<6, using: &random) {
                case 0: .gatewayLies(any(GatewayLie.allCases), milliseconds: span)
                case 1: .serverLies(any(ServerLie.allCases), milliseconds: span)
                default:
                    .storm(any(Storm.usual), milliseconds: span, every: Int.random(in: 100...1000, using: &random))
                }
            self.acts.append(Act(at: at, what: what))
        }
    }

    /// Adds storms that hold streams and connections open, or use one request ID again and again.
    mutating func drawHoards(_ random: inout SeededGenerator) {
        let end = self.healsAt * 1000
        for storm in [Storm.streams, .providers] where Bool.random(using: &random) {
            let at = Int.random(in: 0...end / 2, using: &random)
            let every = Int.random(in: 100...1000, using: &random)
            self.acts.append(Act(at: at, what: .storm(storm, milliseconds: (end - at) / 2, every: every)))
        }
        guard Bool.random(using: &random) else { return }
        // A device remembers an answer for 12 minutes; some worlds last longer.
        if Int.random(in: 0..<3, using: &random) == 0 { self.healsAt = max(self.healsAt, 950) }
        let every = Int.random(in: 40_000...60_000, using: &random)
        self.acts.append(Act(at: 0, what: .storm(.reusedIDs, milliseconds: self.healsAt * 1000, every: every)))
    }

    /// Adds apps that leave processes behind, two runs of each: some faster than they may, and others beside them.
    mutating func drawForks(_ random: inout SeededGenerator) {
        for device in self.devices.indices where Bool.random(using: &random) {
            let start = Int.random(in: 0...max(0, self.healsAt * 1000 - 50_000), using: &random)
            for app in self.devices[device].apps.indices where Bool.random(using: &random) {
                for at in [start, start + 15_000] {
                    let every = Bool.random(using: &random) ? 1...80 : 110...1000
                    let fork = Act.What.fork(
                        device: device,
                        app: app,
                        milliseconds: Int.random(in: 1000...30_000, using: &random),
                        every: Int.random(in: every, using: &random)
                    )
                    self.acts.append(Act(at: at, what: .open(device: device, app: app)))
                    self.acts.append(Act(at: at + 1000, what: fork))
                }
            }
        }
    }

    /// Adds devices whose files, or whose snapshot alone, somebody exchanges for old ones.
    mutating func drawOldFiles(_ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let at = Int.random(in: 0...self.healsAt * 1000, using: &random)
            let device = Int.random(in: self.devices.indices, using: &random)
            let age = Int.random(in: 1...300, using: &random)
            self.acts.append(
                Act(
                    at: at,
                    what: Bool.random(using: &random)
                        ? .rollBack(.device(device), seconds: age)
                        : .exchangeSnapshot(
                            device: device,
                            seconds: age,
                            milliseconds: Int.random(in: 1000...20_000, using: &random)
                        )
                )
            )
        }
    }

    /// Adds disks that fail, and disks that are rolled back.
    mutating func drawBrokenDisks(_ random: inout SeededGenerator) {
        let nodes = [.gateway, .server] + self.devices.indices.map(NodeID.device)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let at = Int.random(in: 0...self.healsAt * 1000, using: &random)
            let isOld = Int.random(in: 0..<4, using: &random) == 0
            self.acts.append(
                Act(
                    at: at,
                    what: isOld
                        ? .rollBack(
                            Bool.random(using: &random) ? .gateway : .server,
                            seconds: Int.random(in: 1...300, using: &random)
                        )
                        : .failDisk(
                            nodes[Int.random(in: nodes.indices, using: &random)],
                            milliseconds: Int.random(in: 500...90_000, using: &random)
                        )
                )
            )
        }
    }
}
