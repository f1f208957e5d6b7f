internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationSources

@Suite struct SpeedSearchTests {
    private static func at(_ seconds: Double) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    @Test func eachSpeedIsTriedInTurn() {
        var search = SpeedSearch()
        search.opened(now: Self.at(0))
        var tried = [search.speed]
        for _ in SpeedSearch.speeds.dropFirst() {
            #expect(search.deadlineReached(now: search.deadline - .milliseconds(1)) == .ignore)
            #expect(search.deadlineReached(now: search.deadline) == .setSpeed)
            tried.append(search.speed)
        }
        #expect(tried == SpeedSearch.speeds)
        #expect(search.deadlineReached(now: search.deadline) == .setSpeed)
        #expect(search.speed == tried[0], "and from the beginning")
    }

    @Test func theSpeedThatBringsASentenceStays() {
        var search = SpeedSearch()
        search.opened(now: Self.at(0))
        #expect(search.deadlineReached(now: Self.at(3)) == .setSpeed)
        search.sentenceCame(now: Self.at(4))
        #expect(search.speed == 4800 && search.deadline == Self.at(19))
        search.opened(now: Self.at(5))
        #expect(search.speed == 4800, "it is the first one to be tried again")
    }

    @Test func aReceiverThatWasSilentIsGivenAnotherTrial() {
        var search = SpeedSearch()
        search.opened(now: Self.at(0))
        search.sentenceCame(now: Self.at(1))
        #expect(search.deadlineReached(now: Self.at(16)) == .ignore)
        #expect(search.deadlineReached(now: Self.at(18)) == .ignore)
        #expect(search.deadlineReached(now: Self.at(18.3)) == .setSpeed)
    }
}
