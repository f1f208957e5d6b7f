internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

@Suite struct TokenRotationTests {
    private static func wall(_ seconds: Int64) -> WallTime { WallTime(seconds: 1_800_000_000 + seconds) }
    private static func at(_ seconds: Int64) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    /// Goal: a token is replaced after 50 minutes by the wall clock, or if the clock goes back.
    @Test(arguments: [(0, false), (2999, false), (3000, true), (-1, true), (100_000, true)])
    func aTokenIsMadeWhenItIsDue(after seconds: Int64, isMade: Bool) {
        var rotation = TokenRotation()
        #expect(rotation.tokenNeeded(now: Self.wall(0)) == .make)
        #expect(rotation.tokenNeeded(now: Self.wall(seconds)) == (isMade ? .make : .keep))
        #expect(rotation.number == (isMade ? 2 : 1))
    }

    /// Goal: a server whose clock differs does not cause a new token for each push.
    @Test(arguments: [(59, false), (60, true)]) func aYoungTokenIsNotMadeAnew(age: Int64, isMade: Bool) {
        var rotation = TokenRotation()
        _ = rotation.tokenNeeded(now: Self.wall(0))
        rotation.tokenExpired(1, now: Self.wall(age))
        #expect(rotation.tokenNeeded(now: Self.wall(age)) == (isMade ? .make : .keep))
    }

    @Test func theEndOfAnOlderTokenIsNoNews() {
        var rotation = TokenRotation()
        _ = rotation.tokenNeeded(now: Self.wall(0))
        _ = rotation.tokenNeeded(now: Self.wall(3000))
        rotation.tokenExpired(1, now: Self.wall(3100))
        #expect(rotation.tokenNeeded(now: Self.wall(3100)) == .keep)
    }

    @Test(arguments: [(1199, false), (1200, true)]) func aConnectionChangesEveryTwentyMinutes(
        after seconds: Int64,
        mayFollow: Bool
    ) {
        var rotation = TokenRotation()
        _ = rotation.tokenNeeded(now: Self.wall(0))
        let first = TokenRotation.Presented(number: 1, since: Self.at(0))
        #expect(rotation.mayFollow(nil, now: Self.at(0)) && rotation.mayFollow(first, now: Self.at(1)))
        _ = rotation.tokenNeeded(now: Self.wall(3000))
        #expect(rotation.mayFollow(first, now: Self.at(seconds)) == mayFollow)
    }
}
