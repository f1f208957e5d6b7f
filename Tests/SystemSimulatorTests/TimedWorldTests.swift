internal import Testing

@testable internal import SystemSimulator

/// Goal: each occurrence of a schedule is under a valid grant, and none is answered after the schedule's end.
struct TimedWorldTests {
    /// One device, whose owner's position is requested every quarter of an hour for an hour and a half.
    private func counts(_ acts: [(Int, Scenario.Act.What)] = []) -> [String: Int] {
        var scenario = Scenario.fleet(devices: 1, minutes: 0)
        scenario.devices[0].speed = 1
        scenario.healsAt = 6000
        scenario.acts.append(.init(at: 11_000, what: .hide(device: 0, app: 0)))
        scenario.acts.append(.init(at: 30_000, what: .begin(schedule: 0, everyMinutes: 15, minutes: 90)))
        scenario.acts += acts.map { Scenario.Act(at: $0.0, what: $0.1) }
        scenario.acts.sort { $0.at < $1.at }
        let run = SimulatedRun(scenario, takesCensus: true)
        #expect(run.violation == nil)
        return run.census.counts
    }

    @Test func occurrencesAreAnsweredAndFetched() {
        let counts = self.counts()
        #expect(counts["an occurrence is answered"] == 5)
        #expect(counts["an occurrence is fetched"] == 5)
    }

    @Test func aServerThatWasDownAsksForTheOccurrencesToCome() {
        let counts = self.counts([(1_000_000, .kill(.server, milliseconds: 2_000_000))])
        // One was missed, and the next one had enough time.
        #expect(counts["an occurrence is answered"] == 4)
    }

    /// Goal: an end that cannot reach the server yet takes effect on the device at once.
    @Test func aScheduleThatItsPersonEndedIsAnsweredNoMore() {
        let counts = self.counts([
            (1_600_000, .cut(.device(0), .server, milliseconds: 800_000)),
            (1_700_000, .endSchedules(device: 0, app: 0)),
        ])
        #expect(counts["a schedule is ended"] == 1 && counts["an occurrence is answered"] == 1)
        #expect(counts["an occurrence is refused"] == 1)
    }

    @Test func aRevocationEndsASchedule() {
        #expect(self.counts([(2_600_000, .revoke(grant: 0))])["an occurrence is answered"] == 2)
    }

    @Test func aServerThatAdmitsAnythingGetsNoPositionAfterTheEnd() {
        let counts = self.counts([
            (1_700_000, .endSchedules(device: 0, app: 0)), (1_800_000, .serverLies(.replays, milliseconds: 60_000)),
        ])
        #expect(counts["an occurrence is answered"] == 1)
    }
}
