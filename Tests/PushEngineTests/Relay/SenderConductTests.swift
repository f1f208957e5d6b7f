internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// Tests for one sender's concurrent pushes, and for its mistakes.
@Suite struct SenderConductTests {
    private static func at(_ seconds: Int64) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    /// Records outcomes of pushes; true is a mistake.
    private static func ended(_ ends: [Bool], _ conduct: inout SenderConduct, at seconds: Int64 = 0) -> [Bool] {
        ends.map { isMistake in
            conduct.pushSent()
            return conduct.pushEnded(isMistake: isMistake, now: Self.at(seconds)) == .noteWait
        }
    }

    @Test func aHundredAreUnderWayAndNoMore() {
        var conduct = SenderConduct()
        for _ in 0..<Relay.underWayMax {
            #expect(conduct.refusal(now: Self.at(0)) == nil)
            conduct.pushSent()
        }
        #expect(conduct.refusal(now: Self.at(0)) == .tooManyAtOnce)
        let action = conduct.pushEnded(isMistake: false, now: Self.at(1))
        #expect(action == .ignore && conduct.refusal(now: Self.at(1)) == nil)
        conduct.pushSent()
        conduct.pushForgotten()
        #expect(conduct.refusal(now: Self.at(1)) == nil)
    }

    /// Goal: the fiftieth mistake among the last hundred pushes causes one wait; an hour later, the count starts from
    /// zero.
    @Test func halfOfTheLastHundredMakeItWaitAnHour() {
        var conduct = SenderConduct()
        let first = Self.ended(Array(repeating: true, count: 49), &conduct)
        #expect(!first.contains(true) && conduct.refusal(now: Self.at(0)) == nil)
        let last = Self.ended([false, true, true], &conduct, at: 10)
        #expect(last == [false, true, false])
        #expect(conduct.refusal(now: Self.at(3609)) == .mistakes)
        #expect(conduct.waits(now: Self.at(3609)) == .seconds(1))
        #expect(conduct.refusal(now: Self.at(3610)) == nil && conduct.waits(now: Self.at(3610)) == nil)
        let anew = Self.ended(Array(repeating: true, count: 49), &conduct, at: 3610)
        #expect(!anew.contains(true) && conduct.refusal(now: Self.at(3610)) == nil)
    }

    @Test func mistakesBeforeTheLastHundredAreForgotten() {
        var conduct = SenderConduct()
        for _ in 0..<10 {
            let mistakes = Self.ended(Array(repeating: true, count: 49) + Array(repeating: false, count: 51), &conduct)
            #expect(!mistakes.contains(true))
        }
        #expect(conduct.refusal(now: Self.at(0)) == nil)
    }

    /// Goal: a monitor's checks, the only pushes of a quiet sender, do not block it; a flood of checks does.
    @Test func aCheckAMinuteIsNoMistake() {
        var conduct = SenderConduct()
        func checked(_ seconds: Int64) -> Bool {
            conduct.pushSent()
            return conduct.pushEnded(isMistake: true, isCheck: true, now: Self.at(seconds)) == .noteWait
        }
        let calm = (0..<200).map { checked($0 * 60) }
        #expect(!calm.contains(true) && conduct.refusal(now: Self.at(12_000)) == nil && conduct.underWay == 0)
        let flood = (0..<51).map { _ in checked(12_000) }
        #expect(flood.lastIndex(of: true) == 50 && conduct.refusal(now: Self.at(12_000)) == .mistakes)
    }
}
