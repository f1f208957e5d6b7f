internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable import WhereaboutsConditions

/// Tests for the belief about one circle of 100 m, with evidence at several distances from its center.
@Suite struct BeliefTests {
    private let center = QuantizedCoordinate(latitude: 480_000_000, longitude: 110_000_000)

    /// A fix with an accuracy of 4.6 m, or another accuracy.
    private func evidence(_ meters: Double, accuracy: Int64 = 4_600, _ basis: Evidence.Basis) -> Evidence {
        let now = Now(monotonic: EngineInstant(sinceStart: .seconds(1000)), wall: WallTime(seconds: 1_800_000_000))
        let sighting = Sighting(
            point: self.center.moved(meters),
            accuracy: accuracy,
            time: now.wall,
            now: now,
            policy: BeliefPolicy()
        )
        return Evidence(sighting: sighting, basis: basis)
    }

    private func seen(_ side: Side?, _ evidence: Evidence) throws -> Belief.OnSighting {
        var belief = Belief(side: side)
        let circle = try #require(ConditionCircle(center: self.center, radius: 100_000))
        let action = belief.sightingArrived(evidence, of: circle, policy: BeliefPolicy())
        if case .crossed(let side, _) = action { #expect(belief.side == side) } else { #expect(belief.side == side) }
        return action
    }

    /// The σ of ±4.6 m is 3.25 m: 103 m are 0.9 σ beyond the boundary, 108 m 2.5 σ, 112 m 3.7 σ.
    @Test(arguments: [(103.0, true, false), (108, true, false), (112, true, true)])
    func aFixAloneNeedsMoreCertaintyThanMeasuredMotion(meters: Double, moving: Bool, alone: Bool) throws {
        let crossed = { Belief.OnSighting.crossed(.outside, $0) }
        #expect(try self.seen(.inside, self.evidence(meters, .motion)) == (moving ? crossed(.motion) : .unchanged))
        #expect(try self.seen(.inside, self.evidence(meters, .fix)) == (alone ? crossed(.fix) : .unchanged))
    }

    @Test func theAverageIsDecidedByItsOwnPlaceAndError() throws {
        // The newest fix is outside; the average of many is inside.
        let average = Evidence.Basis.average(self.center.moved(30), sigma: 20_000)
        #expect(try self.seen(.outside, self.evidence(140, accuracy: 65_000, average)) == .crossed(.inside, .average))
        let vague = Evidence.Basis.average(self.center.moved(30), sigma: 50_000)
        #expect(try self.seen(.outside, self.evidence(30, accuracy: 65_000, vague)) == .unchanged)
    }

    @Test(arguments: [nil, .inside, .outside] as [Side?]) func doubtDecidesNothing(side: Side?) throws {
        for meters in [0.0, 5000] { #expect(try self.seen(side, self.evidence(meters, .doubt)) == .unchanged) }
    }

    @Test(arguments: Side.allCases) func theSideThatIsBelievedMakesNoEvent(side: Side) throws {
        let meters = side == .inside ? 10.0 : 500
        for basis in [Evidence.Basis.motion, .fix, .average(self.center.moved(meters), sigma: 5_000)] {
            #expect(try self.seen(side, self.evidence(meters, basis)) == .unchanged)
            guard case .crossed(side, _) = try self.seen(nil, self.evidence(meters, basis)) else {
                Issue.record("an unknown side is decided by \(basis)")
                continue
            }
        }
    }

    /// A fix whose error is larger than the circle decides nothing.
    @Test(arguments: [nil, .inside, .outside] as [Side?]) func badFixesDecideNothing(side: Side?) throws {
        for meters in [70.0, 100, 140] {
            for basis in [Evidence.Basis.motion, .fix] {
                #expect(try self.seen(side, self.evidence(meters, accuracy: 300_000, basis)) == .unchanged)
            }
        }
    }
}
