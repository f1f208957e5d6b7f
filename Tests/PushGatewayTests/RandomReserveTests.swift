internal import Testing

@testable internal import WhereaboutsPushGateway

struct RandomReserveTests {
    /// Goal: one system call provides the random bytes for 16 pushes.
    @Test func theKernelIsAskedOnceForManyWords() {
        var calls: UInt64 = 0
        var reserve = RandomReserve {
            calls += 1
            return Array(repeating: calls, count: RandomReserve.wordsCount)
        }
        let first = (0..<RandomReserve.wordsCount).map { _ in reserve.next() }
        #expect(calls == 1 && Set(first) == [1])
        #expect(reserve.next() == 2 && calls == 2)
    }

    @Test func theWordsDiffer() {
        var reserve = RandomReserve()
        let words = (0..<1000).map { _ in reserve.next() }
        #expect(Set(words).count == 1000)
    }
}
