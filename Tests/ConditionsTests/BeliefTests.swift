internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable import WhereaboutsConditions

/// One belief, step by step: a 100 m circle, fixes so many metres from its centre.
@Suite struct BeliefTests {
    @Test func keptSidesAreBelievedWithoutAnEvent() {
        var walk = Walk(side: .inside)
        #expect(walk.fix(at: 20) == .unchanged)
        #expect(walk.belief == Belief(side: .inside))
    }

    @Test func twoFixesOfDifferentTimesCross() {
        var walk = Walk(side: .inside)
        #expect(walk.fix(at: 120) == .awaitsAgreement(until: walk.instant(30)))
        #expect(walk.fix(at: 121) == .crossed(.outside, .agreement))
        #expect(walk.belief == Belief(side: .outside))
        #expect(walk.fix(at: 122) == .unchanged)
    }

    @Test func aRepeatedFixIsNoSecondOne() {
        var walk = Walk(side: .inside)
        let until = walk.instant(31)
        #expect(walk.fix(at: 120) == .awaitsAgreement(until: until))
        #expect(walk.fix(at: 120, after: .milliseconds(499)) == .awaitsAgreement(until: until))
        #expect(walk.fix(at: 120, after: .milliseconds(1)) == .crossed(.outside, .agreement))
    }

    @Test func anOutAndBackIsForgotten() {
        var walk = Walk(side: .inside)
        for _ in 0..<5 {
            #expect(walk.fix(at: 300) == .awaitsAgreement(until: walk.instant(30)))
            #expect(walk.fix(at: 20) == .unchanged)
            #expect(walk.belief.awaited == nil)
        }
    }

    @Test func betweenTheLevelsAFirstFixIsForgottenToo() {
        var walk = Walk(side: .inside)
        _ = walk.fix(at: 120)
        #expect(walk.fix(at: 101) == .unchanged)
        #expect(walk.belief == Belief(side: .inside))
    }

    @Test func anyOtherFixEndsTheWait() {
        var walk = Walk(side: .inside)
        _ = walk.fix(at: 120)
        #expect(walk.fix(at: 120, accuracy: 200) == .unchanged)
        #expect(walk.belief == Belief(side: .inside))
    }

    /// 108 m are 2.3 σ beyond the boundary: clear enough for a device that may move, not for one that is seen not to.
    @Test func aDeviceThatIsStillNeedsClearerFixes() {
        var (unseen, still) = (Walk(side: .inside), Walk(side: .inside))
        _ = unseen.fix(at: 108)
        #expect(unseen.fix(at: 108) == .crossed(.outside, .agreement))
        for _ in 0..<5 { #expect(still.fix(at: 108, speed: 0.2) == .unchanged) }
        _ = still.fix(at: 112, speed: 0.2)
        #expect(still.fix(at: 112, speed: 0.2) == .crossed(.outside, .agreement))
    }

    /// 103 m are 0.8 σ beyond it: enough where the way there was seen.
    @Test func motionNeedsTheLeastClarity() {
        var (moving, unseen) = (Walk(side: .inside), Walk(side: .inside))
        for meters in [99.0, 101] {
            #expect(moving.fix(at: meters, speed: 2) == .unchanged)
            #expect(unseen.fix(at: meters) == .unchanged)
        }
        #expect(moving.fix(at: 103, speed: 2) == .crossed(.outside, .motion))
        #expect(unseen.fix(at: 103) == .unchanged)
    }

    @Test func measuredMotionNeedsNoSecondFix() {
        var walk = Walk(side: .inside)
        _ = walk.fix(at: 90, speed: 20)
        #expect(walk.fix(at: 110, speed: 20) == .crossed(.outside, .motion))
    }

    /// Ikolvi/Tracelet#294: the position leaps, the Doppler shift does not.
    @Test(arguments: [nil, 0, 0.4, 20] as [Double?]) func aReflectionIsNoMotion(speed: Double?) {
        var walk = Walk(side: .inside)
        _ = walk.fix(at: 90, speed: speed)
        #expect(walk.fix(at: 290, accuracy: 1.7, speed: speed) == .awaitsAgreement(until: walk.instant(30)))
    }

    @Test func silenceDecidesOnTheFixThatIsThere() {
        var walk = Walk(side: .inside)
        _ = walk.fix(at: 120)
        #expect(walk.belief.agreementTimedOut(now: walk.instant(29)) == .unchanged)
        #expect(walk.belief.agreementTimedOut(now: walk.instant(30)) == .crossed(.outside, .silence))
        #expect(walk.belief.agreementTimedOut(now: walk.instant(30)) == .unchanged)
        #expect(walk.belief == Belief(side: .outside))
    }

    @Test func silenceAfterAnUnclearFixDecidesNothing() {
        var walk = Walk(side: .inside)
        #expect(walk.fix(at: 108) == .awaitsAgreement(until: walk.instant(30)))
        #expect(walk.belief.agreementTimedOut(now: walk.instant(60)) == .unchanged)
        #expect(walk.belief == Belief(side: .inside))
    }

    @Test func silenceAfterALeapDecidesNothing() {
        var walk = Walk(side: .inside)
        _ = walk.fix(at: 20)
        #expect(walk.fix(at: 5000) == .awaitsAgreement(until: walk.instant(30)))
        #expect(walk.belief.agreementTimedOut(now: walk.instant(60)) == .unchanged)
        #expect(walk.belief == Belief(side: .inside))
    }

    @Test(arguments: Side.allCases) func theFirstBeliefNeedsTwoFixesToo(side: Side) {
        let meters = side == .inside ? 10.0 : 500
        var walk = Walk(side: nil)
        _ = walk.fix(at: meters)
        #expect(walk.belief.side == nil)
        #expect(walk.fix(at: meters) == .crossed(side, .agreement))
    }

    @Test func anUnclearFixLeavesAnUnknownSideUnknown() {
        var walk = Walk(side: nil)
        _ = walk.fix(at: 10)
        #expect(walk.fix(at: 100) == .unchanged)
        #expect(walk.belief == Belief(side: nil))
    }

    @Test(arguments: [nil, 0, -1, 150] as [Double?]) func badFixesChangeNothing(accuracy: Double?) {
        for side in Side.allCases {
            var walk = Walk(side: side)
            for meters in [70.0, 100, 140] { #expect(walk.fix(at: meters, accuracy: accuracy) == .unchanged) }
        }
    }

    @Test func agreementIsOfTheSameSide() {
        var walk = Walk(side: nil)
        _ = walk.fix(at: 10)
        #expect(walk.fix(at: 500) == .awaitsAgreement(until: walk.instant(30)))
        #expect(walk.belief.awaited?.side == .outside)
    }
}

/// A device on its way east from the middle of a 100 m circle, with a fix a second.
private struct Walk {
    var belief: Belief
    private var trail = Trail()
    private var now = Now(monotonic: EngineInstant(sinceStart: .seconds(1000)), wall: WallTime(seconds: 1_800_000_000))
    private let center = QuantizedCoordinate(latitude: 480_000_000, longitude: 110_000_000)
    private let policy = BeliefPolicy()

    init(side: Side?) {
        self.belief = Belief(side: side)
    }

    /// The instant so many seconds after the last fix.
    func instant(_ seconds: Int) -> EngineInstant {
        self.now.monotonic.advanced(by: .seconds(seconds))
    }

    mutating func fix(
        at meters: Double,
        accuracy: Double? = 5,
        speed: Double? = nil,
        after: Duration = .seconds(1)
    ) -> Belief.OnSighting {
        self.now.monotonic = self.now.monotonic.advanced(by: after)
        self.now.wall = self.now.wall.advanced(by: after)
        let sighting = Sighting(
            point: self.center.moved(meters),
            accuracy: accuracy.map { Int64($0 * 1000) },
            speed: speed.map { Int64($0 * 1000) },
            time: self.now.wall,
            now: self.now,
            policy: self.policy
        )
        guard case .use(let evidence) = self.trail.sightingArrived(sighting, policy: self.policy),
            let circle = ConditionCircle(center: self.center, radius: 100_000)
        else { return .unchanged }
        return self.belief.sightingArrived(evidence, of: circle, policy: self.policy)
    }
}
