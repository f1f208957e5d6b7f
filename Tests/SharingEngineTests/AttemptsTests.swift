internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

struct AttemptsTests {
    /// Goal: a server that does not respond for a while does not use up the whole time limit with one attempt.
    @Test func attemptIsBounded() {
        let attempts = Attempts(until: Now.at(25).monotonic)
        #expect(attempts.timeout(now: Now.at(0).monotonic) == Attempts.attemptMax)
        #expect(attempts.timeout(now: Now.at(22).monotonic) == .seconds(3))
    }

    @Test func pausesGrowUntilThePatienceEnds() {
        var (attempts, generator) = (Attempts(now: Now.at(5).monotonic), MiddleGenerator())
        var (now, pauses) = (Now.at(5).monotonic, [Duration]())
        while case .tryAgain(let again) = attempts.attemptFailed(now: now, using: &generator) {
            pauses.append(now.duration(to: again))
            now = again
            #expect(attempts.timeout(now: now) == min(.seconds(5), now.duration(to: Now.at(15).monotonic)))
        }
        #expect(pauses.count == 6 && pauses == pauses.sorted() && pauses.last == .seconds(2))
        #expect(attempts.giveUp == Now.at(15).monotonic && attempts.timeout(now: Now.at(16).monotonic) == .zero)
    }
}
