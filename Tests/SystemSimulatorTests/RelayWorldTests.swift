internal import Testing

@testable internal import SystemSimulator

/// Goal: with a relay between the server and Apple, whatever the relay, its disk and its other senders do, the relay
/// sees no content, its accounts are right, and every request ends once.
@Suite struct RelayWorldTests {
    private static let perTest = 20

    /// Two devices behind a relay, with a request every few seconds.
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

    /// Goal: whatever a relay does, no device answers twice and no wrong device answers; the world's auditors check
    /// this.
    @Test(arguments: Scenario.RelayLie.allCases) func lyingRelaysLearnNoMore(_ lie: Scenario.RelayLie) {
        Self.run(Self.world([.relayLies(lie, milliseconds: 40_000)]), does: "relay lies: \(lie.rawValue)")
    }

    /// Goal: the requester learns that the device was not reached, although the relay reported the push as accepted.
    @Test(arguments: [Scenario.RelayLie.drops, .denies]) func aPushThatIsHeldBackIsSaid(_ lie: Scenario.RelayLie) {
        let run = Self.run(
            Self.world([.relayLies(lie, milliseconds: 80_000)]),
            does: "request ends unreachable"
        )
        #expect(run.answered == 2, "those at the end, when it lies no more")
    }

    /// Goal: another sender is refused, and nobody else has to wait because of it.
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

    /// Goal: a server beyond its daily limit is refused, and its requesters learn that the device cannot be reached.
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

    /// Goal: a sender that must wait because of its mistakes still waits after the relay's process restarts.
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

    /// A small world for each write of the relay, which dies at that write: pushes counted before stay counted.
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

    /// Goal: the drawn worlds cause the events that the relay's auditor checks.
    @Test func seedsBringAboutWhatTheAuditorLooksAt() {
        var census = Census()
        for seed in UInt64(1000)..<1300 {
            let scenario = Scenario(seed: seed)
            guard scenario.relay != nil else { continue }
            census.add(SimulatedRun(scenario, takesCensus: true).census)
        }
        let ends = ["relayed", "rejected", "unanswered", "unsent"].map { "a relayed push ends \($0)" }
        // "A hundred at once" has a separate world above, because few floods are that fast.
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

    /// Goal: a scenario with a relay is reduced like others, and the relay is removed if the failure does not need it.
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
