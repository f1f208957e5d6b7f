internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for when people are notified of the answers that their device gave.
struct NoticeLogTests {
    private static func line(_ number: UInt64, to requester: UInt8 = 4, fix: Bool = true) throws -> JournalLine {
        let request = try makeRequest(UInt8(number)).value
        let content: Answer.Content =
            fix
            ? .fix(try SharedFix(latitude: 1, longitude: 2, horizontalAccuracy: 3, time: noon)) : .refusal(.revoked)
        let entry = JournalEntry(
            time: after(Int(number)),
            request: request.id,
            grant: request.grant.value.id,
            event: .answered(content, to: try identity(requester), asked: .full)
        )
        return JournalLine(number: number, previous: [], sharer: try identity(3), entry: entry)
    }

    @Test func eachAnswerIsToldOnceAndAtOnce() throws {
        var telling = NoticeLog()
        let lines = try [Self.line(1), Self.line(2, fix: false)]
        let told = telling.looked(at: lines, now: after(5))
        #expect(told.count == 2)
        #expect(telling.looked(at: lines, now: after(6)).isEmpty)
        #expect(telling.looked(at: [], now: after(6)).isEmpty)
        #expect(telling.looked(at: try lines + [Self.line(3)], now: after(7)).count == 1)
        #expect(telling.told == 3)
    }

    @Test func aDayIsToldInOneSum() throws {
        var telling = NoticeLog(pace: .daily)
        let lines = try [
            Self.line(1, to: 5, fix: false), Self.line(2, to: 4), Self.line(3, to: 4), Self.line(4, to: 5),
        ]
        #expect(telling.looked(at: lines, now: after(5)).isEmpty)
        #expect(telling.looked(at: lines, now: after(86_400)).isEmpty)
        guard case .sum(let since, let counts)? = telling.looked(at: lines, now: after(86_401)).first else {
            throw FixtureError()
        }
        #expect(since == after(1))
        #expect(try counts.map(\.requester) == [identity(4), identity(5)])
        #expect(counts.map(\.positions) == [2, 1] && counts.map(\.others) == [0, 1])
        #expect(telling.looked(at: lines, now: after(2 * 86_400)).isEmpty)
        // The next day begins with the previous sum.
        #expect(telling.looked(at: try [Self.line(9)], now: after(86_402)).isEmpty)
        #expect(telling.looked(at: try [Self.line(9)], now: after(2 * 86_402)).count == 1)
    }

    @Test func aClockThatIsSetBackSilencesNothing() throws {
        var telling = NoticeLog(pace: .daily, told: 0, since: after(365 * 86_400))
        #expect(telling.looked(at: [try Self.line(1)], now: after(1)).count == 1)
    }

    @Test func theChoiceHoldsFromThenOn() throws {
        var telling = NoticeLog(pace: .daily)
        #expect(telling.looked(at: [try Self.line(1)], now: after(2)).isEmpty)
        telling.chosen(.atOnce)
        #expect(telling.looked(at: [try Self.line(1)], now: after(3)).count == 1)
    }
}
