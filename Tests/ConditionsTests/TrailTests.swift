internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable import WhereaboutsConditions

@Suite struct TrailTests {
    private let policy = BeliefPolicy()
    private let place = QuantizedCoordinate(latitude: 480_000_000, longitude: 110_000_000)

    private func now(_ seconds: Int, wall: Int64 = 0) -> Now {
        Now(
            monotonic: EngineInstant(sinceStart: .seconds(seconds)),
            wall: WallTime(seconds: 1_800_000_000 + Int64(seconds) + wall)
        )
    }

    private func sighting(_ now: Now, age: Int = 0, meters: Double = 0, speed: Int64? = nil) -> Sighting {
        Sighting(
            point: self.place.moved(meters),
            accuracy: 5_000,
            speed: speed,
            time: now.wall.advanced(by: .seconds(-age)),
            now: now,
            policy: self.policy
        )
    }

    @Test(arguments: [(30, nil), (31, .stale), (-5, nil), (-6, .future)] as [(Int, Trail.Doubt?)])
    func oldAndFutureFixesAreRefused(age: Int, doubt: Trail.Doubt?) {
        var trail = Trail()
        let action = trail.sightingArrived(self.sighting(self.now(100), age: age), policy: self.policy)
        guard let doubt else {
            #expect(trail.last != nil)
            return
        }
        #expect(action == .refuse(doubt))
        #expect(trail == Trail())
    }

    @Test func aFixIsJudgedOnceAndInOrder() {
        var trail = Trail()
        _ = trail.sightingArrived(self.sighting(self.now(100)), policy: self.policy)
        let before = trail
        #expect(trail.sightingArrived(self.sighting(self.now(101), age: 1), policy: self.policy) == .refuse(.late))
        #expect(trail.sightingArrived(self.sighting(self.now(101), age: 5), policy: self.policy) == .refuse(.late))
        #expect(trail == before)
    }

    @Test(arguments: [-86_400, 86_400] as [Int64]) func aStepOfTheWallClockChangesNoOrder(step: Int64) {
        var trail = Trail()
        _ = trail.sightingArrived(self.sighting(self.now(100)), policy: self.policy)
        guard case .use = trail.sightingArrived(self.sighting(self.now(101, wall: step)), policy: self.policy) else {
            Issue.record("the fix after a step of the clock was refused")
            return
        }
    }

    @Test(arguments: [(300.0, false), (400, true)]) func noVehicleLeaps(meters: Double, isLeap: Bool) {
        var trail = Trail()
        _ = trail.sightingArrived(self.sighting(self.now(100)), policy: self.policy)
        let action = trail.sightingArrived(self.sighting(self.now(101), meters: meters), policy: self.policy)
        guard case .use(let evidence) = action else {
            Issue.record("the fix was refused")
            return
        }
        #expect(evidence.isLeap == isLeap)
        #expect(!evidence.isExplained)
    }

    /// Metres in one second at a speed; whether the one explains the other.
    @Test(
        arguments: [
            (15.0, 15.0, true), (15, nil, false), (200, 15, false), (200, 0, false), (0.7, 0.7, false), (20, 15, true),
            (0, 15, false), (72, 72, true), (15, 400, false),
        ] as [(Double, Double?, Bool)]
    ) func speedsExplainWays(meters: Double, speed: Double?, isExplained: Bool) {
        var trail = Trail()
        let told = speed.map { Int64($0 * 1000) }
        _ = trail.sightingArrived(self.sighting(self.now(100), speed: told), policy: self.policy)
        let next = self.sighting(self.now(101), meters: meters, speed: told)
        guard case .use(let evidence) = trail.sightingArrived(next, policy: self.policy) else {
            Issue.record("the fix was refused")
            return
        }
        #expect(evidence.isExplained == isExplained)
    }

    @Test func aSpeedExplainsNoGap() {
        var trail = Trail()
        _ = trail.sightingArrived(self.sighting(self.now(100), speed: 10_000), policy: self.policy)
        let next = self.sighting(self.now(106), meters: 60, speed: 10_000)
        guard case .use(let evidence) = trail.sightingArrived(next, policy: self.policy) else {
            Issue.record("the fix was refused")
            return
        }
        #expect(!evidence.isExplained)
    }

    @Test func extremesDoNotOverflow() {
        var trail = Trail()
        for (index, time) in [WallTime(microseconds: .min), WallTime(microseconds: .max)].enumerated() {
            let sighting = Sighting(
                point: self.place,
                accuracy: .max,
                floor: .max,
                speed: .max,
                time: time,
                now: Now(monotonic: EngineInstant(sinceStart: .seconds(index)), wall: time),
                policy: self.policy
            )
            _ = trail.sightingArrived(sighting, policy: self.policy)
        }
        let far = self.sighting(self.now(Int(Int32.max) * 100), speed: .max)
        guard case .use = trail.sightingArrived(far, policy: self.policy) else {
            Issue.record("the fix was refused")
            return
        }
    }

    @Test func aSourceThatJumpsAboutIsBelievedLess() {
        var generator = SeededGenerator(seed: 1)
        for (scatter, range) in [(0.2, 100...600), (30, 25_000...60_000)] as [(Double, ClosedRange<Int64>)] {
            var floor = AccuracyFloor()
            var last: Sighting?
            for second in 0..<3000 {
                let next = self.sighting(self.now(second), meters: scatter * generator.normal(), speed: 100)
                if let last { floor.sightingUsed(next, after: last, policy: self.policy) }
                last = next
            }
            #expect(range.contains(floor.value), "\(floor.value) mm of a scatter of \(scatter) m")
        }
    }
}
