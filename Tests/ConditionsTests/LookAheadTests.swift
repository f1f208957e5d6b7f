internal import Testing
internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@Suite struct LookAheadTests {
    private static let now = EngineInstant(sinceStart: .seconds(5000))

    private func look(
        _ boundary: Int64,
        speed: Int64? = nil,
        measured: Int64 = 0,
        isAwaiting: Bool = false
    ) -> LookAhead {
        let wall = WallTime(seconds: 1_800_000_000)
        let sighting = Sighting(
            point: QuantizedCoordinate(latitude: 0, longitude: 0),
            accuracy: 5_000,
            speed: speed,
            time: wall,
            now: Now(monotonic: Self.now, wall: wall),
            policy: BeliefPolicy()
        )
        return LookAhead(
            boundary: boundary,
            after: sighting,
            measuredSpeed: measured,
            isAwaiting: isAwaiting,
            policy: LookPolicy()
        )
    }

    private func wait(_ look: LookAhead) -> Duration? {
        guard case .lookAt(let instant) = look else { return nil }
        return Self.now.duration(to: instant)
    }

    @Test func aFirstFixThatWaitsKeepsTheReceiverOn() {
        #expect(self.look(50_000_000, isAwaiting: true) == .stayOn)
    }

    @Test func aNearBoundaryKeepsItOn() {
        #expect(self.look(0) == .stayOn)
        #expect(self.look(10_000) == .stayOn)
        #expect(self.look(300_000, speed: 33_000) == .stayOn)
    }

    @Test func aStillDeviceIsLookedForBeforeAWalkToTheBoundaryEnds() throws {
        let wait = try #require(self.wait(self.look(100_000)))
        #expect(wait > .seconds(60) && wait < .seconds(72))
    }

    @Test func aBoundaryInReachIsWaitedForNoLongerThanAppsExpect() {
        #expect(self.wait(self.look(3_000_000)) == .seconds(180))
    }

    @Test func aDeviceThatIsStillRestsEvenAtABoundary() {
        #expect(self.wait(self.look(0, speed: 100)) == .seconds(30))
        #expect(self.look(0, speed: 600) == .stayOn)
    }

    @Test func aBoundaryOutOfReachLetsTheReceiverRest() throws {
        let wait = try #require(self.wait(self.look(50_000_000, speed: 33_000)))
        #expect(wait > .seconds(1000) && wait < .seconds(1400))
    }

    @Test func aMeasuredWayCountsWhereTheReceiverTellsNoSpeed() throws {
        let still = try #require(self.wait(self.look(1_000_000)))
        #expect(try #require(self.wait(self.look(1_000_000, measured: 14_000))) < still)
        #expect(self.wait(self.look(1_000_000, speed: 0, measured: 14_000)) == still)
    }

    @Test func extremesDoNotOverflow() {
        for speed in [Int64.min, -1, .max] {
            _ = self.look(.max, speed: speed)
            _ = self.look(.max, measured: speed)
        }
    }

    /// The figures of `docs/conditions.md` for each scene: the share of the time with the receiver on, and the latest
    /// event.
    @Test(arguments: zip(LookStudy.scenes, [(0.06, 0, 0.0), (0.11, 0, 0), (0.06, 2, 30), (0.06, 6, 120)]))
    func scenes(scene: LookStudy.Scene, limit: (share: Double, events: Int, latency: Double)) {
        let outcome = LookStudy.run(scene)
        #expect(outcome.share <= limit.share)
        #expect(outcome.missed == 0 && outcome.excess == 0, "\(outcome)")
        #expect(outcome.latencies.count == limit.events)
        #expect(outcome.latencies.allSatisfy { $0 <= limit.latency }, "\(outcome.latencies)")
    }
}
