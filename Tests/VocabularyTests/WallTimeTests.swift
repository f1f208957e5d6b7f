internal import Testing

@testable internal import WhereaboutsVocabulary

/// Tests for the calendar in three units, and its limits.
@Suite struct WallTimeTests {
    static let microseconds: [Int64] = [
        .min, .min + 1, -1_000_001, -1_000_000, -999_999, -1001, -1000, -999, -1, 0, 1, 999, 1000, 1001, 999_999,
        1_000_000, 1_800_000_000_123_456, .max - 1, .max,
    ]

    @Test(arguments: Self.microseconds) func unitsRoundDown(_ microseconds: Int64) {
        let time = WallTime(microseconds: microseconds)
        guard microseconds != .min, microseconds != .max else {
            #expect(time.milliseconds == microseconds && time.seconds == microseconds)
            return
        }
        let exact = Duration.microseconds(microseconds)
        #expect(Duration.milliseconds(time.milliseconds) <= exact && exact < .milliseconds(time.milliseconds + 1))
        #expect(Duration.seconds(time.seconds) <= exact && exact < .seconds(time.seconds + 1))
        #expect(time.wholeMilliseconds.wholeMilliseconds == time.wholeMilliseconds)
    }

    @Test(arguments: [Int64.min, -9_223_372_036_854_775, -1, 0, 1, 1_800_000_000_123, 9_223_372_036_854_775, .max])
    func everyMillisecondOfTheCalendarIsKept(_ milliseconds: Int64) {
        #expect(WallTime(milliseconds: milliseconds).milliseconds == milliseconds)
    }

    @Test(arguments: [Int64.min, -9_223_372_036_854, -1, 0, 1, 1_800_000_000, 9_223_372_036_854, .max])
    func everySecondOfTheCalendarIsKept(_ seconds: Int64) {
        #expect(WallTime(seconds: seconds).seconds == seconds)
    }

    @Test func aNumberBeyondTheCalendarIsItsEnd() {
        #expect(WallTime(milliseconds: 9_223_372_036_854_776) == WallTime(microseconds: .max))
        #expect(WallTime(milliseconds: -9_223_372_036_854_776) == WallTime(microseconds: .min))
        #expect(WallTime(seconds: .max) == WallTime(microseconds: .max))
        #expect(WallTime(seconds: .min) == WallTime(microseconds: .min))
        #expect(WallTime(timeIntervalSince1970: 1e300) == WallTime(microseconds: .max))
        #expect(WallTime(timeIntervalSince1970: -.infinity) == WallTime(microseconds: .min))
    }

    @Test func fractionsAreRoundedToTheMicrosecond() {
        #expect(WallTime(timeIntervalSince1970: 1.000_000_6).microseconds == 1_000_001)
        #expect(WallTime(timeIntervalSince1970: -0.5).microseconds == -500_000)
        #expect(WallTime(microseconds: 1_500_000).timeIntervalSince1970 == 1.5)
    }

    @Test func arithmeticStopsAtTheEnds() {
        let (first, last) = (WallTime(microseconds: .min), WallTime(microseconds: .max))
        #expect(last.advanced(by: .microseconds(1)) == last)
        #expect(first.advanced(by: .microseconds(-1)) == first)
        #expect(first - .microseconds(1) == first && last - .microseconds(-1) == last)
        #expect(WallTime(microseconds: 0).advanced(by: .seconds(Int64.max)) == last)
        #expect(WallTime(microseconds: 0).advanced(by: .seconds(Int64.min)) == first)
        #expect(first.advanced(by: first.duration(to: last)) == last)
    }

    @Test func advancingRoundsDown() {
        let time = WallTime(microseconds: 10)
        #expect(time.advanced(by: .nanoseconds(1999)).microseconds == 11)
        #expect(time.advanced(by: .nanoseconds(-1)).microseconds == 9)
        #expect(time.advanced(by: .nanoseconds(-1000)).microseconds == 9)
        #expect((time - .nanoseconds(1)).microseconds == 9 && (time - .microseconds(3)).microseconds == 7)
    }

    @Test func advancingByTheWayThereArrives() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<1000 {
            let from = WallTime(microseconds: .random(in: .min / 4 ... .max / 4, using: &random))
            let to = WallTime(microseconds: .random(in: .min / 4 ... .max / 4, using: &random))
            #expect(from.advanced(by: from.duration(to: to)) == to)
            #expect((from < to) == (from.duration(to: to) > .zero))
        }
    }
}
