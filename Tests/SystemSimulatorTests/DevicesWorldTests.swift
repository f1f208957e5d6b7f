internal import Testing

@testable internal import SystemSimulator

/// Goal: of a person's several devices one answers, removed ones receive nothing, and the order of messages does not
/// matter.
struct DevicesWorldTests {
    /// A person with two or more devices, and a requester who asks all the time; the second device is restored after
    /// half a minute, and so chosen.
    private func world(
        devices: Int = 2,
        asksEvery seconds: Int = 12,
        _ acts: [(Int, Scenario.Act.What)] = []
    ) -> Scenario {
        var scenario = Scenario.fleet(devices: 1, minutes: 0)
        scenario.healsAt = 300
        // A grant without a minimum interval is used up by its thirtieth request.
        if seconds < 10 { scenario.grants[0].interval = 3 }
        scenario.acts.append(.init(at: 11_000, what: .hide(device: 0, app: 0)))
        for device in 1..<devices {
            var plan = scenario.devices[0]
            plan.personOf = 0
            scenario.devices.append(plan)
            let at = 20_000 + device * 10_000
            scenario.acts.append(.init(at: at, what: .restore(device: device)))
            scenario.acts.append(.init(at: at + 500, what: .open(device: device, app: 0)))
        }
        for at in stride(from: 20_000, to: 300_000, by: seconds * 1000) {
            scenario.acts.append(.init(at: at, what: .ask(grant: 0, precisely: true, xWing: false)))
        }
        scenario.acts += acts.map { Scenario.Act(at: $0.0, what: $0.1) }
        scenario.acts.sort { $0.at < $1.at }
        return scenario
    }

    private func census(_ scenario: Scenario) -> [String: Int] {
        let run = SimulatedRun(scenario, takesCensus: true)
        #expect(run.violation == nil)
        return run.census.counts
    }

    @Test func theDeviceThatWasChosenLastAnswers() {
        let counts = self.census(
            self.world(
                devices: 3,
                [
                    (80_000, .answerHere(device: 0, app: 0)), (120_000, .answerHere(device: 2, app: 0)),
                    (160_000, .answerHere(device: 1, app: 0)),
                ]
            )
        )
        #expect(counts["a device is restored"] == 2)
        // Both devices that registered first, and three chosen by their person.
        #expect(counts["another device is chosen"] == 5)
        #expect(counts["request ends answered"] ?? 0 >= 24 && counts["request ends unreachable"] == nil)
    }

    /// Goal: a wrong clock decides nothing, in whatever order devices are chosen.
    @Test(arguments: [-4000, 4000]) func clocksThatAreApartDecideNothing(_ seconds: Int) {
        let counts = self.census(
            self.world([
                (15_000, .stepClock(.device(1), seconds: seconds)), (80_000, .answerHere(device: 0, app: 0)),
                (120_000, .answerHere(device: 1, app: 0)), (160_000, .answerHere(device: 0, app: 0)),
            ])
        )
        // The device that registered first, and each choice of the person.
        #expect(counts["another device is chosen"] == 4)
    }

    /// Goal: requests are in progress at each change, and each of them ends.
    @Test func requestsUnderWayEndWhileTheDeviceChanges() {
        let changes = stride(from: 60_000, to: 280_000, by: 7000).enumerated().map { number, at in
            (at, Scenario.Act.What.answerHere(device: number % 2, app: 0))
        }
        let counts = self.census(self.world(asksEvery: 4, changes))
        #expect(counts["requests are astray"] ?? 0 > 2)
        #expect(counts["a device that is no longer chosen answers"] ?? 0 > 0)
    }

    @Test func aRemovedDeviceIsToldOfNothing() {
        let counts = self.census(
            self.world(
                asksEvery: 4,
                [
                    // The device finds no position, so a request stays in progress.
                    (95_000, .receive(device: 1, false)), (100_000, .removeDevice(1, by: 0, app: 0)),
                    // The device learns of it when its app starts again.
                    (140_000, .close(device: 1, app: 0)), (141_000, .open(device: 1, app: 0)),
                ]
            )
        )
        #expect(counts["a device is removed"] == 1 && counts["a removed device learns of it"] ?? 0 > 0)
        #expect(counts["request ends unreachable"] ?? 0 > 0, "what the removed device was told of ends")
    }

    @Test func aRemovedDeviceComesBackByItsPersonsWord() {
        let counts = self.census(
            self.world([
                (100_000, .removeDevice(1, by: 0, app: 0)), (150_000, .answerHere(device: 1, app: 0)),
                // The server loses its record of the requests that it sent to the device, which has another name by
                // now.
                (200_000, .rollBack(.server, seconds: 30)),
            ])
        )
        #expect(counts["a device is removed"] == 1 && counts["another device is chosen"] == 2)
    }

    /// Goal: a server that forgets a removal cannot make the device answer again.
    @Test func aServerThatForgetsARemovalGetsNoAnswer() {
        let counts = self.census(
            self.world([
                (100_000, .removeDevice(1, by: 0, app: 0)), (120_000, .close(device: 1, app: 0)),
                (121_000, .open(device: 1, app: 0)), (150_000, .rollBack(.server, seconds: 80)),
            ])
        )
        #expect(counts["a removed device learns of it"] ?? 0 > 0)
        #expect(counts["server is rolled back"] == 1 && counts["request ends unreachable"] ?? 0 > 0)
    }

    @Test func theLastDeviceIsKept() {
        let counts = self.census(
            self.world([
                (100_000, .removeDevice(0, by: 1, app: 0)), (130_000, .removeDevice(1, by: 1, app: 0)),
            ])
        )
        #expect(counts["a device is removed"] == 1 && counts["a last device is kept"] == 1)
    }

    /// Goal: a lost device no longer answers, and the other one does after its person chose it.
    @Test func aLostDeviceIsReplacedByAnotherOne() {
        let counts = self.census(
            self.world([
                (100_000, .lose(device: 1)), (150_000, .answerHere(device: 0, app: 0)),
                (160_000, .removeDevice(1, by: 0, app: 0)),
            ])
        )
        #expect(counts["a device is lost"] == 1)
        #expect(counts["request ends unreachable"] ?? 0 > 0 && counts["request ends answered"] ?? 0 > 10)
    }

    @Test func aDeviceIsChosenThatIsOffline() {
        _ = self.census(
            self.world([
                (90_000, .cut(.device(0), .gateway, milliseconds: 60_000)), (100_000, .answerHere(device: 0, app: 0)),
            ])
        )
    }

    /// Goal: a grant that was revoked on one device is not used on another, once the server was notified.
    @Test func aRevocationReachesAllDevices() {
        let counts = self.census(self.world([(100_000, .takeBack(grant: 0, on: 0))]))
        #expect(counts["a grant is taken back on another device"] == 1)
        #expect(counts["request ends refused"] ?? 0 > 10)
    }

    /// Goal: an old backup restores only its own content, and undoes nothing that the server knows.
    @Test func aDeviceIsRestoredFromAnOldBackup() {
        let counts = self.census(
            self.world([
                (50_000, .backUp(device: 1)), (100_000, .takeBack(grant: 0, on: 1)), (150_000, .restore(device: 1)),
                (151_000, .open(device: 1, app: 0)),
            ])
        )
        #expect(counts["a device is restored"] == 2 && counts["request ends refused"] ?? 0 > 5)
    }

    @Test func statementsThatAreWithheldAreMadeAnew() {
        let counts = self.census(
            self.world([
                (90_000, .serverLies(.withholds, milliseconds: 30_000)), (100_000, .answerHere(device: 0, app: 0)),
                (110_000, .removeDevice(1, by: 0, app: 0)), (160_000, .answerHere(device: 0, app: 0)),
            ])
        )
        #expect(counts["server lies: withholds"] ?? 0 > 1)
        #expect(counts["another device is chosen"] == 2 && counts["a device is removed"] == nil)
    }

    /// Goal: the latest signed message wins, even if messages arrive late, twice and in any order.
    @Test func noOrderOfStatementsBreaksARule() {
        var old = 0
        for seed in UInt64(1)...30 {
            let weather = Network.Weather(delay: 5...3000, lossPerMille: 100, repeatPerMille: 300, latePerMille: 300)
            var acts: [(Int, Scenario.Act.What)] = [(25_000, .weather(weather))]
            for number in 0..<20 {
                acts.append((60_000 + number * 9000, .answerHere(device: (number + Int(seed)) % 3, app: 0)))
                if number % 7 == 6 { acts.append((64_000 + number * 9000, .removeDevice(number % 3, by: 0, app: 0))) }
            }
            var scenario = self.world(devices: 3, asksEvery: 4, acts)
            scenario.seed = seed
            old += self.census(scenario)["an old registration arrives late"] ?? 0
        }
        #expect(old > 0)
    }
}
