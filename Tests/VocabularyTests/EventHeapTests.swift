internal import Testing

@testable internal import WhereaboutsVocabulary

@Suite struct EventHeapTests {
    @Test func theSoonestComesFirst() {
        var heap = EventHeap<Int, String>()
        for (time, event) in [(3, "c"), (1, "a"), (2, "b")] { heap.insert(event, at: time) }
        #expect(heap.nextTime == 1)
        #expect(Set(heap.unordered.map(\.event)) == ["a", "b", "c"])
        #expect(heap.removeNext(by: 0) == nil)
        #expect(heap.removeNext(by: 2).map { [$0.event] } == ["a"])
        #expect(heap.removeNext(by: 2).map { [$0.event] } == ["b"])
        #expect(heap.removeNext(by: 2) == nil)
        #expect(heap.nextTime == 3)
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func equalsKeepTheOrderTheyWerePlannedIn(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var heap = EventHeap<Int, Int>()
        let times = (0..<500).map { _ in Int.random(in: 0..<8, using: &random) }
        for (order, time) in times.enumerated() { heap.insert(order, at: time) }
        var removed: [Int] = []
        while let next = heap.removeNext(by: 8) { removed.append(next.event) }
        #expect(removed == times.indices.sorted { (times[$0], $0) < (times[$1], $1) })
        #expect(heap.nextTime == nil)
    }
}
