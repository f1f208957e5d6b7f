internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Tests for the approximate position at every relevant age: whether it is delivered, and whether a fix replaces it.
@Suite struct ReducedAccuracyMatrixTests {
    /// A position of second 0 is replaced from second 900 on, and delivered until 1200, since a replacement needs a
    /// fix.
    enum Start: CaseIterable {
        case none, recent, due, oldest, stale

        var machine: ReducedAccuracy {
            var machine = ReducedAccuracy(policy: Policy())
            switch self {
            case .none: break
            case .recent, .due, .oldest, .stale: machine.fixReceived(fix(0), now: second(0))
            }
            return machine
        }

        var age: Int {
            switch self {
            case .none: 0
            case .recent: 899
            case .due: 900
            case .oldest: 1200
            case .stale: 1201
            }
        }

        /// Whether the position is delivered, whether a new one is needed, and whether a fix replaces it.
        var row: (isGiven: Bool, isDue: Bool, isReplaced: Bool) {
            switch self {
            case .none: (false, true, true)
            case .recent: (true, false, false)
            case .due: (true, true, true)
            case .oldest: (true, true, true)
            case .stale: (false, true, true)
            }
        }
    }

    @Test(arguments: Start.allCases) func matrix(_ start: Start) {
        let now = second(start.age)
        var machine = start.machine
        let before = machine.place(now: now)
        #expect((before != nil) == start.row.isGiven)
        #expect(machine.isDue(now: now) == start.row.isDue)
        #expect(machine.due == (Self.isKnown(machine) ? second(900) : nil))
        machine.fixReceived(fix(1), now: now)
        #expect((machine.place(now: now) != before) == start.row.isReplaced)
        #expect(machine.place(now: now) != nil)
        #expect(!machine.isDue(now: now))
    }

    /// Whether there is a position; a new state has no answer yet.
    private static func isKnown(_ machine: ReducedAccuracy) -> Bool {
        switch machine.state {
        case .none: false
        case .place: true
        }
    }

    @Test func twoCellsInAnHourAndAHalf() {
        var machine = ReducedAccuracy(policy: Policy())
        play(
            """
            @0 ask -> nothing, due
            @1 fix 0 -> place 0
            @600 fix 1 -> place 0
            @900 ask -> place 0
            @901 ask -> place 0, due
            @1201 ask -> place 0, due
            @1202 ask -> nothing, due
            @1500 fix 1 -> place 1
            @2399 fix 0 -> place 1
            @2400 fix 0 -> place 0
            """
        ) { step, now in
            if step[0] == "fix" { machine.fixReceived(fix(Int32(step[1]) ?? 0), now: now) }
            let places = (0...1).filter { machine.place(now: now)?.point == reducedPoint(of: fix(Int32($0))) }
            let told = places.first.map { "place \($0)" } ?? "nothing"
            return machine.isDue(now: now) ? "\(told), due" : told
        }
    }
}

/// A position in one of two cells, 11 km apart.
private func fix(_ cell: Int32) -> Fix {
    Fix(
        latitude: 425_000_000 + cell * 1_000_000,
        longitude: 14_000_000,
        horizontalAccuracy: 5000,
        time: WallTime(seconds: 0),
        arrival: second(0)
    )
}

private func reducedPoint(of fix: Fix) -> QuantizedCoordinate {
    ReducedAccuracy.reduced(fix, radius: Policy().reducedRadius).point
}
