internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable import WhereaboutsConditions

@Suite struct TrailTests {
    private let policy = BeliefPolicy()
    private let place = QuantizedCoordinate(latitude: 480_000_000, longitude: 110_000_000)

    private func now(_ seconds: Double, wall: Int64 = 0) -> Now {
        Now(
            monotonic: EngineInstant(sinceStart: .milliseconds(Int64(seconds * 1000))),
            wall: WallTime(seconds: 1_800_000_000 + wall).advanced(by: .milliseconds(Int64(seconds * 1000)))
        )
    }

    private func sighting(
        _ now: Now,
        age: Int = 0,
        meters: Double = 0,
        accuracy: Double = 5,
        speed: Double? = nil
    ) -> Sighting {
        Sighting(
            point: self.place.moved(meters),
            accuracy: Int64(accuracy * 1000),
            speed: speed.map { Int64($0 * 1000) },
            time: now.wall.advanced(by: .seconds(-age)),
            now: now,
            policy: self.policy
        )
    }

    /// The basis that a trail gives each fix, in a word.
    private func bases(_ trail: inout Trail, _ fixes: [(Double, Double, Double, Double?)]) -> [String] {
        fixes.map { second, meters, accuracy, speed in
            let fix = self.sighting(self.now(second), meters: meters, accuracy: accuracy, speed: speed)
            guard case .use(let evidence) = trail.sightingArrived(fix, policy: self.policy) else { return "refused" }
            return Self.word(evidence.basis)
        }
    }

    private static func word(_ basis: Evidence.Basis) -> String {
        switch basis {
        case .doubt: "doubt"
        case .motion: "motion"
        case .fix: "fix"
        case .average: "average"
        }
    }

    // MARK: Order and age

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

    // MARK: Agreement

    @Test func theFirstFixIsInDoubtUntilASecondAgrees() {
        var trail = Trail()
        #expect(self.bases(&trail, [(100, 0, 5, nil)]) == ["doubt"])
        #expect(trail.isAwaitingMore)
        // Receivers repeat a position with a new time.
        #expect(self.bases(&trail, [(100.4, 0, 5, nil), (101, 0, 5, nil)]) == ["doubt", "fix"])
        #expect(!trail.isAwaitingMore)
    }

    /// Independent fixes add up to a decision within half a minute.
    ///
    /// Fixes that repeat each other never do.
    @Test func independentFixesAddUp() {
        var (scattered, repeated) = (Trail(), Trail())
        let fixes = (0..<30).map { index -> (Double, Double, Double, Double?) in
            (Double(index) * 10, index.isMultiple(of: 2) ? 25 : -25, 40, nil)
        }
        let same = fixes.map { ($0.0, 25.0, $0.2, $0.3) }
        #expect(self.bases(&scattered, fixes).last == "average")
        #expect(self.bases(&repeated, same).last == "fix")
        let last = self.sighting(self.now(300), meters: 25, accuracy: 40)
        guard case .use(let evidence) = scattered.sightingArrived(last, policy: self.policy),
            case .average(let point, let sigma) = evidence.basis
        else {
            Issue.record("no average")
            return
        }
        #expect(Geodesic.millimeters(from: self.place, to: point) < 5_000)
        #expect(sigma < 28_000 / 2, "half of a fix's σ at most: \(sigma) mm")
    }

    /// Ikolvi/Tracelet#294: a receiver is 200 m off at a claimed 1.7 m, and back.
    @Test(arguments: [nil, 0, 0.4, 20] as [Double?]) func aReflectionIsInDoubt(speed: Double?) {
        var trail = Trail()
        let fixes = [(100, 0, 5, speed), (101, 0, 5, speed)] + (0..<10).map { (102 + Double($0), 200.0, 1.7, speed) }
        #expect(self.bases(&trail, fixes).suffix(10) == Array(repeating: "doubt", count: 10)[...])
        #expect(trail.isAwaitingMore)
        #expect(self.bases(&trail, [(112, 0, 5, 0)]) != ["doubt"])
        #expect(!trail.isAwaitingMore)
    }

    @Test func aFarContradictionThatLastsIsBelieved() {
        var trail = Trail()
        let stay = [(100.0, 0.0, 5.0, nil as Double?), (101, 0, 5, nil)]
        let away = (0...15).map { (102 + Double($0), 200.0, 5.0, nil as Double?) }
        #expect(self.bases(&trail, stay + away).suffix(2) == ["doubt", "fix"])
    }

    /// An error of 3 to 6 σ may be a wandering one.
    ///
    /// It needs confirmation, but nothing keeps the receiver on for that.
    @Test func aNearContradictionNeedsWitnesses() {
        var trail = Trail()
        let stay = (0..<30).map { (Double($0), 0.0, 5.0, nil as Double?) }
        let away = (0..<60).map { (30 + Double($0), 18.0, 5.0, nil as Double?) }
        #expect(self.bases(&trail, stay + away).suffix(60) == Array(repeating: "doubt", count: 60)[...])
        #expect(!trail.isAwaitingMore)
    }

    // MARK: Motion

    /// Metres moved in one second at a speed, and whether the speed explains the distance.
    @Test(
        arguments: [
            (15.0, 15.0, true), (15, nil, false), (200, 15, false), (200, 0, false), (0.7, 0.7, false), (20, 15, true),
            (0, 15, false), (72, 72, true), (15, 400, false),
        ] as [(Double, Double?, Bool)]
    ) func speedsExplainWays(meters: Double, speed: Double?, isExplained: Bool) {
        var trail = Trail()
        let words = self.bases(&trail, [(100, 0, 5, speed), (101, meters, 5, speed)])
        #expect((words[1] == "motion") == isExplained)
    }

    /// Doppler noise in a town passes 0.8 m/s now and then, even twice in a row.
    @Test func twoNoisySpeedsAreNoMotion() {
        var trail = Trail()
        let stay = (0..<10).map { (100 + Double($0), 0.0, 5.0, 0.1 as Double?) }
        #expect(self.bases(&trail, stay + [(110, 0, 5, 0.9), (111, 0.9, 5, 0.9)]).last == "fix")
    }

    @Test func aSpeedExplainsNoGap() {
        var trail = Trail()
        #expect(self.bases(&trail, [(100, 0, 5, 10), (106, 60, 5, 10)])[1] != "motion")
    }

    /// A hiker who climbs at 0.6 m/s is followed, although no two fixes prove the movement.
    @Test func aDeviceThatCreepsIsNotAveraged() {
        var trail = Trail()
        let climb = (0..<120).map { (100 + Double($0), 0.6 * Double($0), 5.0, 0.6 as Double?) }
        #expect(!self.bases(&trail, climb).dropFirst(2).contains { $0 == "doubt" || $0 == "average" })
    }

    // MARK: Silence

    @Test func silenceConfirmsASingleFix() {
        var trail = Trail()
        _ = self.bases(&trail, [(100, 0, 5, nil)])
        #expect(trail.deadline(self.policy) == self.now(130).monotonic)
        #expect(trail.silenceLasted(now: self.now(129).monotonic, policy: self.policy) == nil)
        #expect(trail.silenceLasted(now: self.now(130).monotonic, policy: self.policy)?.basis == .fix)
        #expect(trail.silenceLasted(now: self.now(131).monotonic, policy: self.policy) == nil)
        #expect(trail.deadline(self.policy) == nil)
    }

    /// A car cannot move 200 m in a second, and a pause does not make the fix credible.
    @Test(arguments: [(500.0, false), (60, true)]) func silenceBelievesNoLeap(meters: Double, isBelieved: Bool) {
        var trail = Trail()
        _ = self.bases(&trail, [(100, 0, 5, nil), (101, 0, 5, nil), (102, meters, 5, nil)])
        #expect((trail.silenceLasted(now: self.now(132).monotonic, policy: self.policy) != nil) == isBelieved)
        #expect(!trail.isAwaitingMore)
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
        let instant = Now(monotonic: EngineInstant(sinceStart: .seconds(214_748_364_700)), wall: WallTime(seconds: 9))
        let far = Sighting(
            point: self.place,
            accuracy: 1,
            speed: .max,
            time: instant.wall,
            now: instant,
            policy: self.policy
        )
        guard case .use = trail.sightingArrived(far, policy: self.policy) else {
            Issue.record("the fix was refused")
            return
        }
    }

    /// Goal: the average of points on both sides of the date line lies on it, not on the other side of the Earth.
    @Test func averagesCrossTheDateLine() {
        var trail = Trail()
        let line = QuantizedCoordinate(latitude: 0, longitude: 1_799_999_999)
        for step in 0..<40 {
            let now = self.now(Double(step) * 10)
            let point = line.moved(step.isMultiple(of: 2) ? 25 : -25)
            let fix = Sighting(point: point, accuracy: 40_000, time: now.wall, now: now, policy: self.policy)
            guard case .use(let evidence) = trail.sightingArrived(fix, policy: self.policy),
                case .average(let average, _) = evidence.basis
            else { continue }
            #expect(Geodesic.millimeters(from: line, to: average) < 30_000)
        }
    }

    @Test func aSourceThatJumpsAboutIsBelievedLess() {
        var generator = SeededGenerator(seed: 1)
        for (scatter, range) in [(0.2, 100...600), (30, 20_000...60_000)] as [(Double, ClosedRange<Int64>)] {
            var floor = AccuracyFloor()
            var last: Sighting?
            for second in 0..<3000 {
                let next = self.sighting(self.now(Double(second)), meters: scatter * generator.normal(), speed: 0.1)
                if let last { floor.sightingUsed(next, after: last, policy: self.policy) }
                last = next
            }
            #expect(range.contains(floor.value), "\(floor.value) mm of a scatter of \(scatter) m")
        }
    }
}
