internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Goal: the displayed age of an answer does not depend on the requester's clock.
struct FixAgeTests {
    /// Method: the position was 10 s old when the server received the answer, at noon; the request took 3 s.
    @Test(
        arguments: [
            (now: 0, age: 10, ahead: nil), (now: 4, age: 14, ahead: nil), (now: -1, age: 9, ahead: nil),
            (now: 5, age: 15, ahead: nil), (now: 6, age: 10, ahead: 6), (now: -3, age: 10, ahead: -3),
            (now: 100, age: 10, ahead: 100), (now: -100_000, age: 10, ahead: -100_000),
        ] as [(now: Int, age: Int, ahead: Int?)]
    )
    func aClockThatIsOffSaysNoAge(now: Int, age: Int, ahead: Int?) throws {
        let fix = try SharedFix(latitude: 1, longitude: 2, horizontalAccuracy: 3, time: after(-10))
        let update = RequestUpdate(state: RequestState(.answered, at: noon, reason: ""), elapsed: .seconds(3))
        let found = FixAge(of: fix, in: update, now: after(now))
        #expect(found.age == .seconds(age) && found.clockAhead == ahead.map { .seconds($0) })
    }

    @Test func aFixFromTheFutureIsNew() throws {
        let fix = try SharedFix(latitude: 1, longitude: 2, horizontalAccuracy: 3, time: after(60))
        let update = RequestUpdate(state: RequestState(.answered, at: noon, reason: ""), elapsed: .zero)
        #expect(FixAge(of: fix, in: update, now: noon).age == .zero)
        #expect(FixAge(of: fix, in: update, now: after(-500)).age == .zero)
    }
}
