internal import Testing

@testable internal import SystemSimulator

/// Goal: with strangers, liars and broken disks, honest people are served, nobody learns more, and acknowledged data is
/// kept.
@Suite struct AdversaryTests {
    private static let perTest = 8

    /// Worlds without other faults, so that there is a maximum time for an answer.
    @Test(arguments: stride(from: 1, through: 40, by: Self.perTest).map { $0 })
    func honestPeopleAreServedWhileStrangersTry(first: Int) {
        var census = Census()
        for seed in first..<first + Self.perTest {
            let run = SimulatedRun(Scenario.besieged(seed: UInt64(seed)), takesCensus: true)
            census.add(run.census)
            guard let violation = run.violation else { continue }
            Issue.record(
                "\(violation.instant) \(violation.what); repeat it: simulate --first \(seed) --seeds 1 --besieged --trace"
            )
        }
        #expect(census.counts["request ends answered"] ?? 0 > 0)
    }

    /// Two devices, each with a requester that has a grant, and one adversary all the time.
    private static func world(_ what: [Scenario.Act.What]) -> Scenario {
        var scenario = Scenario.fleet(devices: 2, minutes: 0)
        scenario.healsAt = 90
        scenario.requesters.append(.init(clockError: 0))
        // Grants that the server must refuse: an expired one, a reduced one, one with a minimum interval.
        let grants = [(-3600...40, true, 0), (-3600...1_000_000, false, 0), (-3600...1_000_000, true, 3600)]
        for (holds, isFull, interval) in grants {
            scenario.grants.append(
                .init(device: 0, app: 0, requester: 2, isFull: isFull, holds: holds, interval: interval)
            )
        }
        scenario.acts += what.map { Scenario.Act(at: 20_000, what: $0) }
        for at in stride(from: 30_000, to: 90_000, by: 12_000) {
            for grant in scenario.grants.indices {
                scenario.acts.append(
                    .init(at: at + grant * 50, what: .ask(grant: grant, precisely: true, xWing: false))
                )
            }
        }
        scenario.acts.append(.init(at: 70_000, what: .revoke(grant: 3)))
        scenario.acts.sort { $0.at < $1.at }
        return scenario
    }

    private static func expectNoViolation(_ scenario: Scenario, does name: String) {
        let run = SimulatedRun(scenario, takesCensus: true)
        #expect(run.violation == nil)
        #expect(run.answered > 0)
        #expect(run.census.counts[name] ?? 0 > 0, "\(name) never happened")
    }

    @Test(arguments: Scenario.GatewayLie.allCases) func lyingGatewaysHarmNobodyElse(_ lie: Scenario.GatewayLie) {
        // Repeats begin with the first push, and cost nothing; other pushes would use up the budget.
        let span = lie == .repeats ? 60_000 : 3000
        Self.expectNoViolation(
            Self.world([.gatewayLies(lie, milliseconds: span)]),
            does: "gateway lies: \(lie.rawValue)"
        )
    }

    @Test(arguments: Scenario.ServerLie.allCases) func lyingServersLearnNoMore(_ lie: Scenario.ServerLie) {
        var world = Self.world([.serverLies(lie, milliseconds: 60_000)])
        // The app must send something that can be withheld: that it receives no pushes.
        world.acts.append(.init(at: 75_000, what: .set(device: 1, app: 0, .never)))
        world.acts.append(.init(at: 77_000, what: .set(device: 1, app: 0, .always)))
        world.acts.sort { $0.at < $1.at }
        Self.expectNoViolation(world, does: "server lies: \(lie.rawValue)")
    }

    /// Goal: an attacker with many streams and connections does not block an honest client.
    @Test(arguments: [
        (Scenario.Storm.streams, "a stranger's stream is turned away"),
        (.providers, "a tenant's connection is turned away"),
    ])
    func hoardersKeepNobodyAway(_ storm: Scenario.Storm, _ name: String) {
        Self.expectNoViolation(Self.world([.storm(storm, milliseconds: 60_000, every: 100)]), does: name)
    }

    @Test(arguments: Scenario.Storm.allCases) func strangersAloneHarmNobody(_ storm: Scenario.Storm) {
        Self.expectNoViolation(
            Self.world([.storm(storm, milliseconds: 60_000, every: 200)]),
            does: "strangers: \(storm.rawValue)"
        )
    }

    @Test(arguments: [(NodeID.device(0), "device"), (.gateway, "gateway"), (.server, "server")])
    func aDiskThatFailsIsNotTakenForAGoodOne(_ node: NodeID, _ name: String) {
        Self.expectNoViolation(
            Self.world([
                .failDisk(node, milliseconds: 30_000), .set(device: 0, app: 0, .never),
                .set(device: 0, app: 0, .always),
                .kill(node, milliseconds: 500),
            ]),
            does: "\(name)'s fsync fails"
        )
    }

    @Test(arguments: [(NodeID.gateway, "gateway"), (.server, "server"), (.device(0), "device")])
    func anOldDiskServesEverybodyAgain(_ node: NodeID, _ name: String) {
        Self.expectNoViolation(Self.world([.rollBack(node, seconds: 30)]), does: "\(name) is rolled back")
    }

    /// Goal: restoring an old snapshot does not undo a person's later decision.
    @Test func anOldSnapshotAloneIsRefused() {
        Self.expectNoViolation(
            Self.world([
                .set(device: 0, app: 0, .never), .exchangeSnapshot(device: 0, seconds: 10, milliseconds: 5000),
                .exchangeSnapshot(device: 1, seconds: 300, milliseconds: 5000),
            ]),
            does: "device refuses an older state"
        )
    }

    /// Goal: strangers cannot fill the part of the server's store that honest registrations need.
    @Test func strangersComeNoFasterThanTheDoorkeeperLets() {
        Self.expectNoViolation(
            Self.world([.storm(.registrations, milliseconds: 60_000, every: 50)]),
            does: "a signed message comes too soon"
        )
    }
}
