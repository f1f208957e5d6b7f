internal import Testing

@testable internal import SystemSimulator

/// Goal: each update of a live share is under a valid grant, none follows an end, and every lie is detected.
struct FollowedWorldTests {
    /// A moving device whose app is in the background, and a person who follows for eight minutes.
    private func world(_ acts: [(Int, Scenario.Act.What)] = []) -> Scenario {
        var scenario = Scenario.fleet(devices: 1, minutes: 0)
        scenario.devices[0].speed = 10
        scenario.grants[0].followMinutes = 20
        scenario.healsAt = 600
        scenario.acts.append(.init(at: 11_000, what: .hide(device: 0, app: 0)))
        scenario.acts.append(.init(at: 30_000, what: .follow(grant: 0, precisely: true, minutes: 8)))
        scenario.acts += acts.map { Scenario.Act(at: $0.0, what: $0.1) }
        scenario.acts.sort { $0.at < $1.at }
        return scenario
    }

    private func census(_ scenario: Scenario) -> [String: Int] {
        let run = SimulatedRun(scenario, takesCensus: true)
        #expect(run.violation == nil)
        return run.census.counts
    }

    @Test func aDeviceOnItsWayIsFollowedUntilTheTimeIsOver() {
        let counts = self.census(self.world())
        #expect(counts["a following begins"] == 1 && counts["a following ends"] == 1)
        // The app was suspended, and continues after its extension has answered: a step a second for eight minutes.
        #expect(counts["an update arrives"] ?? 0 > 400)
        #expect(counts["an update arrives"] == counts["an update leaves"])
    }

    @Test func eitherSideAndARevocationEndIt() {
        let ends: [Scenario.Act.What] = [
            .stopFollowing(requester: 0), .endFollowings(device: 0, app: 0), .revoke(grant: 0),
        ]
        for end in ends {
            let counts = self.census(self.world([(90_000, end)]))
            #expect(counts["a following ends"] == 1, "\(end)")
            // A minute of updates, and none of the seven after it.
            #expect((30...65).contains(counts["an update arrives"] ?? 0), "\(end)")
        }
    }

    @Test func aServerThatRepeatsOldUpdatesIsNoticed() {
        let counts = self.census(self.world([(60_000, .serverLies(.reorders, milliseconds: 60_000))]))
        #expect(counts["a disturbance is noticed"] ?? 0 > 30)
    }

    @Test func aServerThatLeavesUpdatesOutIsNoticed() {
        let counts = self.census(self.world([(60_000, .serverLies(.waits, milliseconds: 30_000))]))
        #expect(counts["a gap is noticed"] == 1)
        // Longer than the silence that the device announced.
        let longer = self.census(self.world([(60_000, .serverLies(.waits, milliseconds: 150_000))]))
        #expect(longer["a silence is noticed"] == 1)
    }

    @Test func whatDiesGoesOn() {
        let counts = self.census(
            self.world([
                (60_000, .kill(.server, milliseconds: 5000)), (90_000, .crash(device: 0, app: 0)),
                (100_000, .open(device: 0, app: 0)), (150_000, .cut(.device(0), .server, milliseconds: 40_000)),
            ])
        )
        #expect(counts["an update arrives"] ?? 0 > 300)
    }
}
