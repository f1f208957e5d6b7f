internal import Testing

@testable internal import WhereaboutsPushEngine

@Suite struct FairQueueTests {
    @Test func linksTakeTurnsHoweverMuchOneHasWaiting() {
        var turns = FairQueue<String>()
        for number in 1...100 { turns.offer("a\(number)", of: LinkID(1)) }
        turns.offer("b1", of: LinkID(2))
        turns.offer("b2", of: LinkID(2))
        #expect(Array(turns.nextBatch().prefix(5)) == ["a1", "b1", "a2", "b2", "a3"])
        #expect(turns.nextBatch().first == "a63")
        #expect(turns.isEmpty)
    }

    @Test func providersHaveALaneOfTheirOwn() {
        var turns = FairQueue<String>()
        for link in 1...100 { turns.offer("l\(link)", of: LinkID(UInt64(link))) }
        #expect(turns.offer("p1") == true)
        let first = turns.nextBatch()
        #expect(first.first == "p1" && first.count == 1 + FairQueue<String>.linksBesidePushesMax)
        #expect(turns.nextBatch().count == FairQueue<String>.linksMax)
        #expect(turns.nextBatch().count == 100 - FairQueue<String>.linksBesidePushesMax - FairQueue<String>.linksMax)
        #expect(turns.nextBatch().isEmpty)
    }

    /// Goal: device links are served even if providers never stop sending.
    @Test func aFloodOfPushesLeavesRoomForLinks() {
        var turns = FairQueue<String>()
        for number in 0..<2000 { _ = turns.offer("p\(number)") }
        turns.offer("l", of: LinkID(1))
        let batch = turns.nextBatch()
        #expect(batch.contains("l") && batch.count <= FairQueue<String>.batchMax)
    }

    /// Goal: outcomes of sent pushes are handled even if providers never stop, and neither blocks the other.
    @Test func endsWaitForNoPush() {
        var turns = FairQueue<String>()
        for number in 0..<2000 { _ = turns.offer("p\(number)") }
        for number in 0..<2000 { turns.offerEnd("e\(number)") }
        turns.offer("l", of: LinkID(1))
        let batch = turns.nextBatch()
        #expect(batch.first == "e0" && batch.contains("p0") && batch.contains("l"))
        #expect(batch.count <= FairQueue<String>.batchMax)
        var rest = 0
        while !turns.isEmpty { rest += turns.nextBatch().count }
        #expect(batch.count + rest == 4001)
    }

    @Test func theLaneOfProvidersIsBounded() {
        var turns = FairQueue<Int>()
        for number in 0..<FairQueue<Int>.providersMax { #expect(turns.offer(number) == true) }
        #expect(turns.offer(0) == false)
        turns.offer(1, of: LinkID(1))
        #expect(turns.nextBatch().last == 1)
    }
}
