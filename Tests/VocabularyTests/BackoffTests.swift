internal import Testing

@testable internal import WhereaboutsVocabulary

@Suite struct BackoffTests {
    @Test func waitsDoubleUpToTheLongest() {
        var backoff = Backoff(from: .milliseconds(250), to: .seconds(5))
        let waits = (0..<7).map { _ in backoff.next() / .milliseconds(1) }
        #expect(waits == [250, 500, 1000, 2000, 4000, 5000, 5000])
        backoff.reset()
        #expect(backoff == Backoff(from: .milliseconds(250), to: .seconds(5)))
    }

    @Test(arguments: 0..<64) func countedDoublingsAreTheSameWaits(_ doublings: Int) {
        var backoff = Backoff(from: .microseconds(3), to: .seconds(3600))
        let counted = backoff.wait(doublings: doublings)
        for _ in 0..<doublings { _ = backoff.next() }
        #expect(backoff.next() == counted)
    }

    @Test func noCountOverflows() {
        let longest = Duration.seconds(Int64.max)
        #expect(Backoff(from: .seconds(1), to: longest).wait(doublings: .max) == longest)
        #expect(Backoff(from: .zero, to: longest).wait(doublings: .max) == .zero)
        #expect(Backoff(from: .seconds(2), to: .seconds(1)).wait(doublings: 0) == .seconds(1))
    }

    /// Goal: pauses increase up to the longest, are never below the shortest, vary, and are the same for the same seed.
    @Test func jitterIsDecorrelated() {
        func draw(_ seed: UInt64, _ count: Int) -> [Double] {
            var random = SeededGenerator(seed: seed)
            var backoff = Backoff(from: .milliseconds(500), to: .seconds(30))
            return (0..<count).map { _ in backoff.next(using: &random) / .seconds(1) }
        }
        let draws = (UInt64(0)..<500).map { draw($0, 12) }
        for waits in draws {
            #expect(waits.allSatisfy { (0.5...30).contains($0) })
            #expect(zip([0.5] + waits, waits).allSatisfy { $1 <= $0 * 3 + 1e-9 })
        }
        #expect(draws.contains { $0[0] < 0.6 } && draws.contains { $0[0] > 1.4 })
        func mean(_ index: Int) -> Double { draws.map { $0[index] }.reduce(0, +) / Double(draws.count) }
        #expect(mean(0) < mean(2) && mean(2) < mean(8))
        #expect(draws.contains { $0[11] == 30 })
        #expect(draw(7, 12) == draws[7])
    }

    @Test func aNegativeWaitTraps() async {
        await #expect(processExitsWith: .failure) { _ = Backoff(from: .seconds(-1), to: .seconds(1)) }
    }
}
