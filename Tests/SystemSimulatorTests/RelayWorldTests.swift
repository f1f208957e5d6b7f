internal import Testing

@testable internal import SystemSimulator

/// A relay between the server and Apple: whatever it, its disk and its other senders do, it sees nothing, its accounts are what went out,
/// and every request ends once.
@Suite struct RelayWorldTests {
    private static let perTest = 20

    /// Two devices behind a relay, asked every few seconds.
    private static func world(_ acts: [Scenario.Act.What], pushesADay: Int = 100_000, others: Int = 1000) -> Scenario {
        var scenario = Scenario.fleet(devices: 2, minutes: 0)
        scenario.healsAt = 100
        scenario.relay = Scenario.RelayPlan(pushesADay: pushesADay, othersADay: others)
        scenario.acts += acts.enumerated().map { Scenario.Act(at: 20_000 + $0 * 15_000, what: $1) }
        for at in stride(from: 30_000, to: 100_000, by: 12_000) {
            for grant in scenario.grants.indices {
                scenario.acts.append(
                    Scenario.Act(at: at + grant * 50, what: .ask(grant: grant, precisely: true, xWing: false))
                )
            }
        }
        scenario.acts.sort { $0.at < $1.at }
        return scenario
    }

    @discardableResult
    private static func run(_ scenario: Scenario, does names: String...) -> SimulatedRun {
        let run = SimulatedRun(scenario, takesCensus: true)
        #expect(run.violation == nil)
        #expect(run.answered > 0)
        for name in names { #expect(run.census.counts[name] ?? 0 > 0, "\(name) never happened") }
        return run
    }

    @Test func pushesGoByWayOfTheRelay() {
        let run = Self.run(Self.world([]), does: "a sealed push comes to the relay", "a relayed push ends relayed")
        #expect(run.answered == run.requests)
    }

    /// Goal: nothing that a relay does has a device answer twice, or another one answer; the world itself looks.
    @Test(arguments: Scenario.RelayLie.allCases) func lyingRelaysLearnNoMore(_ lie: Scenario.RelayLie) {
        Self.run(Self.world([.relayLies(lie, milliseconds: 40_000)]), does: "relay lies: \(lie.rawValue)")
    }

    /// Goal: anyone who asks learns that the device was not reached, though the relay said that its push was taken.
    @Test(arguments: [Scenario.RelayLie.drops, .denies]) func aPushThatIsHeldBackIsSaid(_ lie: Scenario.RelayLie) {
        let run = Self.run(
            Self.world([.relayLies(lie, milliseconds: 80_000)]),
            does: "request ends unreachable"
        )
        #expect(run.answered == 2, "those at the end, when it lies no more")
    }

    /// Goal: another sender is refused, and nobody else has to wait for that.
    @Test(arguments: Scenario.Flood.allCases) func floodsOfOthersHarmNobody(_ flood: Scenario.Flood) {
        let refusal: [Scenario.Flood: String] = [
            .sealed: "relay refuses: mistakes", .plain: "relay refuses: not_sealed",
            .named: "relay refuses: collapse_id",
        ]
        let run = Self.run(
            Self.world([.flood(flood, milliseconds: 60_000, every: 100)]),
            does: "another sender sends: \(flood.rawValue)",
            refusal[flood] ?? "a push is relayed"
        )
        #expect(run.answered == run.requests)
    }

    @Test func aSendersDayIsItsOwn() {
        let run = Self.run(
            Self.world([.flood(.sealed, milliseconds: 60_000, every: 100)], others: 20),
            does: "relay refuses: day"
        )
        #expect(run.answered == run.requests)
    }

    /// Goal: a server beyond its day is refused, and those who ask learn that nobody could be reached.
    @Test func aServerBeyondItsDayIsRefused() {
        Self.run(Self.world([], pushesADay: 4), does: "relay refuses: day", "request ends unreachable")
    }

    @Test func aHundredAreUnderWayAtATime() {
        Self.run(
            Self.world([
                // The relay has a connection by then.
                .stepClock(.server, seconds: 0), .cut(.relay, .gateway, milliseconds: 30_000),
                .flood(.sealed, milliseconds: 10_000, every: 20),
            ]),
            does: "relay refuses: at_once",
            "a relayed push ends unanswered"
        )
    }

    /// Goal: who waits for its mistakes waits on, whatever becomes of the relay's process.
    @Test func aWaitOutlivesTheRelay() {
        Self.run(
            Self.world([
                .flood(.sealed, milliseconds: 60_000, every: 100), .kill(.relay, milliseconds: 100),
                .kill(.relay, milliseconds: 100),
            ]),
            does: "a sender's wait survives a restart",
            "relay refuses: mistakes"
        )
    }

    @Test func whatNeverLeftIsNotCounted() {
        Self.run(
            Self.world([.kill(.gateway, milliseconds: 25_000)]),
            does: "a relayed push ends unsent"
        )
    }

    @Test(arguments: [
        (Scenario.Act.What.fillDisk(.relay, milliseconds: 30_000), "relay finds its disk full"),
        (.failDisk(.relay, milliseconds: 30_000), "relay's fsync fails"),
        (.rollBack(.relay, seconds: 30), "relay is rolled back"),
    ])
    func aRelaysDiskIsItsOwnTrouble(_ act: Scenario.Act.What, _ name: String) {
        Self.run(Self.world([.stepClock(.server, seconds: 0), act]), does: name)
    }

    /// One small world once for each write of the relay, which dies at it: what was counted before is counted after.
    @Test func noRuleIsBrokenWhereverTheRelayDies() {
        let worlds = Self.world([.flood(.sealed, milliseconds: 3000, every: 100)]).dyingAtEveryWrite()
            .filter { $0.deaths.first?.node == .relay }
        #expect(worlds.count > 40)
        var census = Census()
        for (number, world) in worlds.enumerated() {
            let run = SimulatedRun(world, takesCensus: true)
            census.add(run.census)
            if let violation = run.violation { Issue.record("world \(number): \(violation.instant) \(violation.what)") }
        }
        #expect(census.counts["a push is counted but not sent"] ?? 0 > 0)
    }

    /// Goal: the drawn worlds bring about what the relay's auditor looks at.
    @Test func seedsBringAboutWhatTheAuditorLooksAt() {
        var census = Census()
        for seed in UInt64(1000)..<1300 {
            let scenario = Scenario(seed: seed)
            guard scenario.relay != nil else { continue }
            census.add(SimulatedRun(scenario, takesCensus: true).census)
        }
        let ends = ["relayed", "rejected", "unanswered", "unsent"].map { "a relayed push ends \($0)" }
        // A hundred at once have a world of their own above: few floods are as fast.
        let refusals = ["not_sealed", "collapse_id", "day", "mistakes"].map { "relay refuses: \($0)" }
        let lies = Scenario.RelayLie.allCases.map { "relay lies: \($0.rawValue)" }
        for name in [
            "a sealed push comes to the relay", "a push is relayed", "a sender must wait",
            "a sender's wait survives a restart", "a push is counted but not sent",
            "the outcome of a relayed push is not counted",
            "relay is rolled back", "relay dies before a write", "relay dies after a write",
            "relay finds its disk full",
            "relay's fsync fails",
        ] + ends + refusals + lies {
            #expect(census.counts[name] ?? 0 > 0, "\(name) never happened")
        }
    }

    /// Goal: a scenario with a relay is made smaller as others are, and without one where it has no part in what fails.
    @Test func aRelayThatIsNotNeededIsLeftOut() throws {
        var scenario = Scenario.withoutServer
        scenario.relay = Scenario.RelayPlan(pushesADay: 100_000, othersADay: 10)
        let violation = try #require(SimulatedRun(scenario).violation)
        #expect(scenario.shrunk(violation).relay == nil)
    }

    @Test func aPlanThatCannotBeIsRefused() throws {
        var scenario = Self.world([])
        scenario.relay?.pushesADay = 0
        let error = #expect(throws: ScenarioError.self) { try scenario.check() }
        #expect(error?.description.contains("relay's pushes in a day") == true)
    }
}
