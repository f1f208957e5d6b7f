internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

/// Tests for the recorded history of a push, which answers an operator's questions.
@Suite struct PushHistoryTests {
    private static func push(_ number: UInt64, expiration: Expiration = .until(1000)) -> StoredPush {
        StoredPush(
            id: PushID(high: 0, low: number),
            topic: "a",
            payload: [],
            priority: .immediate,
            expiration: expiration,
            collapseID: nil
        )
    }

    @Test func aLifeIsFoundInEitherCase() throws {
        var history = PushHistory()
        history.happened(.accepted(Self.push(1), apnsID: "AB"), at: WallTime(seconds: 1))
        history.happened(.delivered(PushID(high: 0, low: 1)), at: WallTime(seconds: 2))
        history.happened(.delivered(PushID(high: 0, low: 1)), at: WallTime(seconds: 3))
        history.happened(.ended(PushID(high: 0, low: 1), .acknowledged), at: WallTime(seconds: 4))
        history.happened(.ended(PushID(high: 0, low: 1), .expired), at: WallTime(seconds: 5))
        let life = try #require(history.lives(ofAPNSID: "ab").first)
        #expect(life.acceptedAt == WallTime(seconds: 1))
        #expect(life.deliveredAt == WallTime(seconds: 3))
        #expect(life.end == PushHistory.Ending(.acknowledged, at: WallTime(seconds: 4)))
        #expect(life.expiration == WallTime(seconds: 1000))
        #expect(history.lives(ofAPNSID: "abc").isEmpty)
    }

    /// Goal: the newest pushes are remembered, however many came; events about a forgotten push change nothing.
    @Test func theOldestIsForgotten() {
        var history = PushHistory()
        let count = UInt64(PushHistory.pushesMax)
        for number in 0...count {
            history.happened(.accepted(Self.push(number), apnsID: "\(number)"), at: WallTime(seconds: 1))
        }
        #expect(history.lives(ofAPNSID: "0").isEmpty)
        #expect(history.lives(ofAPNSID: "1").count == 1)
        #expect(history.lives(ofAPNSID: "\(count)").count == 1)
        history.happened(.ended(PushID(high: 0, low: 0), .acknowledged), at: WallTime(seconds: 2))
        #expect(history.lives(ofAPNSID: "\(count)").first?.end == nil)
    }

    @Test func aRepeatedIDHasALifeForEachPushTheOldestFirst() {
        var history = PushHistory()
        for number: UInt64 in 1...3 {
            history.happened(.accepted(Self.push(number), apnsID: "x"), at: WallTime(seconds: Int64(number)))
        }
        #expect(history.lives(ofAPNSID: "x").map(\.push.low) == [1, 2, 3])
    }

    /// Goal: an expired push stays expired, whatever its device reports later; a push that the device received is
    /// acknowledged.
    @Test(arguments: PushHistory.End.allCases) func anEndIsNotRewritten(_ end: PushHistory.End) throws {
        var history = PushHistory()
        history.happened(.accepted(Self.push(1, expiration: .until(5)), apnsID: "x"), at: WallTime(seconds: 1))
        let id = PushID(high: 0, low: 1)
        let before = try #require(history.lives(ofAPNSID: "x").first?.ending(now: WallTime(seconds: 9)))
        #expect(before == PushHistory.Ending(.expired, at: WallTime(seconds: 5)))
        history.happened(.ended(id, end), at: WallTime(seconds: 9))
        let after = try #require(history.lives(ofAPNSID: "x").first?.ending(now: WallTime(seconds: 9)))
        let isRewritten = ![.replaced, .expired, .unregistered].contains(end)
        #expect(after == (isRewritten ? PushHistory.Ending(end, at: WallTime(seconds: 9)) : before))
    }

    /// Goal: a push for one attempt ends with the device's acknowledgement, although its time was over from the start.
    @Test(arguments: [Expiration.once, .until(1)]) func oneAttemptEndsWithItsDevicesWord(
        _ expiration: Expiration
    ) throws {
        var history = PushHistory()
        let id = PushID(high: 0, low: 1)
        func ending(at seconds: Int64) -> PushHistory.Ending? {
            history.lives(ofAPNSID: "x").first?.ending(now: WallTime(seconds: seconds))
        }
        history.happened(.accepted(Self.push(1, expiration: expiration), apnsID: "x"), at: WallTime(seconds: 5))
        #expect(ending(at: 5) == nil)
        history.happened(.delivered(id), at: WallTime(seconds: 6))
        #expect(ending(at: 65) == nil)
        #expect(ending(at: 66) == PushHistory.Ending(.unanswered, at: WallTime(seconds: 66)))
        history.happened(.swept, at: WallTime(seconds: 66))
        history.happened(.acknowledged(id), at: WallTime(seconds: 67))
        #expect(ending(at: 70) == PushHistory.Ending(.acknowledged, at: WallTime(seconds: 67)))
    }

    /// Goal: a push that was delivered in time is not reported as expired before it is removed, nor as acknowledged
    /// afterwards.
    @Test func aPushThatWasSentInItsTimeHasOneEnd() {
        var history = PushHistory()
        let ids = [1, 2].map { PushID(high: 0, low: $0) }
        func ending(_ id: String) -> PushHistory.Ending? {
            history.lives(ofAPNSID: id).first?.ending(now: WallTime(seconds: 20))
        }
        for number: UInt64 in 1...2 {
            let push = Self.push(number, expiration: .until(10))
            history.happened(.accepted(push, apnsID: "\(number)"), at: WallTime(seconds: 1))
            history.happened(.delivered(push.id), at: WallTime(seconds: 2))
        }
        #expect(ending("1") == nil)
        history.happened(.acknowledged(ids[0]), at: WallTime(seconds: 11))
        history.happened(.swept, at: WallTime(seconds: 12))
        history.happened(.acknowledged(ids[1]), at: WallTime(seconds: 13))
        #expect(ending("1") == PushHistory.Ending(.acknowledged, at: WallTime(seconds: 11)))
        #expect(ending("2") == PushHistory.Ending(.expired, at: WallTime(seconds: 10)))
    }
}
