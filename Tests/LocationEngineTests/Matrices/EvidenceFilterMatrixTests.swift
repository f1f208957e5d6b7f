internal import Testing
internal import WhereaboutsConditions
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Tests for the filter of fixes: before the first fix and after one, with fixes of every age.
@Suite struct EvidenceFilterMatrixTests {
    private enum Start: CaseIterable { case fresh, seen }

    /// The ages of a fix that comes at second 110; the one before was measured at 100.
    private enum Input: Int, CaseIterable {
        case tooOld = 31, oldest = 30, earlier = 15, repeated = 10, new = 1, ahead = -5, future = -6
    }

    @Test(arguments: Start.allCases, Input.allCases) private func matrix(_ start: Start, _ input: Input) {
        var witness = EvidenceFilter(policy: BeliefPolicy())
        if start == .seen { #expect(Self.feed(&witness, age: 0, at: 100) != nil) }
        let before = witness
        let evidence = Self.feed(&witness, age: input.rawValue, at: 110)
        switch (start, input) {
        // A refused fix leaves no state that would affect the next one.
        case (_, .tooOld), (_, .future), (.seen, .oldest), (.seen, .earlier), (.seen, .repeated):
            #expect(evidence == nil && witness == before)
        case (.fresh, .oldest), (.fresh, .earlier), (.fresh, .repeated), (_, .new), (_, .ahead):
            // A fix from slightly in the future counts as measured on arrival.
            #expect(evidence?.sighting.measured == second(110 - max(0, input.rawValue)))
            #expect(evidence?.basis == (start == .fresh ? .doubt : .fix))
            #expect(witness != before)
        }
    }

    private static func feed(_ witness: inout EvidenceFilter, age: Int, at seconds: Int) -> Evidence? {
        let wall = WallTime(seconds: 43_200 + Int64(seconds))
        let fix = Fix(
            latitude: 0,
            longitude: 0,
            horizontalAccuracy: 5000,
            time: wall.advanced(by: .seconds(-age)),
            arrival: second(seconds)
        )
        return witness.fixReceived(fix, now: Now(monotonic: second(seconds), wall: wall))
    }
}
