internal import Testing
internal import WhereaboutsLocationEngine

@testable internal import SystemSimulator

/// Tests the auditor of the processes that apps leave behind, in a world with such apps.
@Suite struct OrphanAuditorTests {
    private let world = Simulation(.fleet(devices: 1, minutes: 1), keepsLines: false, takesCensus: false)

    private func leave(_ count: Int, app: Int = 0, isEnded: Bool = false) {
        let process = SimulatedProcess(Names.bundle(app), .app, .foreground, .user, on: self.world.devices[0])
        for _ in 0..<count { self.world.auditors.orphans.orphanEnded(of: process, isEnded: isEnded) }
    }

    @Test func anAppMayLeaveSomeBehind() {
        self.leave(100)
        self.leave(100, app: 1)
        self.leave(1, isEnded: true)
        // The next run begins again.
        self.leave(100)
        #expect(self.world.violation == nil)
    }

    @Test func anAppThatForksOnIsFound() {
        self.leave(101)
        #expect(self.world.violation?.what.contains("more processes behind than the limit") == true)
    }

    @Test func anAppThatIsEndedForAnotherOneIsFound() {
        self.leave(100)
        self.leave(1, app: 1, isEnded: true)
        #expect(self.world.violation?.what.contains("fewer processes behind than the limit") == true)
    }

    @Test func aNextRunThatIsToBlameForTheFirstIsFound() {
        self.leave(100)
        self.leave(2, isEnded: true)
        #expect(self.world.violation?.what.contains("fewer processes behind than the limit") == true)
    }

    /// Goal: an app that forks more than its allowance is ended; its next run and other apps are not.
    @Test func aForkingAppIsEndedAndNoOther() {
        var scenario = Scenario.fleet(devices: 1, minutes: 1)
        scenario.devices[0].apps.append(.init(kind: .workout, isExplicit: false, isReduced: false))
        let acts: [(Int, Scenario.Act.What)] = [
            (5000, .open(device: 0, app: 1)), (5500, .fork(device: 0, app: 1, milliseconds: 20_000, every: 150)),
            (7000, .open(device: 0, app: 0)), (7500, .fork(device: 0, app: 0, milliseconds: 20_000, every: 2)),
            (10_000, .open(device: 0, app: 0)), (10_500, .fork(device: 0, app: 0, milliseconds: 150, every: 2)),
        ]
        scenario.acts += acts.map { Scenario.Act(at: $0.0, what: $0.1) }
        scenario.acts.sort { $0.at < $1.at }
        let run = SimulatedRun(scenario, takesCensus: true)
        #expect(run.violation == nil)
        #expect(run.census.counts["an app is ended for its forks"] == 1)
        #expect(run.census.counts["a process outlives its app"] ?? 0 > 0)
        // At least 101 of the first run, 75 of the second, and a few of the other app.
        #expect(run.census.counts["an app leaves a process behind"] ?? 0 > 180)
    }
}
