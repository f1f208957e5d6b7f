internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingEngine

struct PushLaneTests {
    private func id(_ number: Int) -> RequestID { RequestID(high: 0, low: UInt64(number)) }

    @Test func pushesUnderWayAreBoundedAndTheOthersWaitTheirTurn() {
        var lane = PushLane()
        for number in 0..<PushLane.underWayMax { #expect(lane.pushWanted(self.id(number)) == .send) }
        let (first, second) = (self.id(PushLane.underWayMax), self.id(PushLane.underWayMax + 1))
        #expect(lane.pushWanted(first) == .ignore && lane.pushWanted(second) == .ignore)
        #expect(lane.attemptEnded(self.id(3)) == first)
        #expect(lane.attemptEnded(first) == second)
        #expect(lane.attemptEnded(second) == nil)
        #expect(lane.pushWanted(self.id(3)) == .send)
    }

    @Test func noPushIsUnderWayOrWaitsTwice() {
        var lane = PushLane()
        for number in 0..<PushLane.underWayMax { _ = lane.pushWanted(self.id(number)) }
        let waiting = self.id(PushLane.underWayMax)
        for id in [self.id(0), waiting, waiting] { #expect(lane.pushWanted(id) == .ignore) }
        #expect(lane.attemptEnded(self.id(0)) == waiting)
        #expect(lane.attemptEnded(self.id(1)) == nil)
        #expect(lane.attemptEnded(self.id(1)) == nil)
    }

    @Test func thoseThatWaitAreBounded() {
        var lane = PushLane()
        let most = PushLane.underWayMax + PushLane.waitingMax
        for number in 0...most { _ = lane.pushWanted(self.id(number)) }
        var turns: [RequestID] = []
        while let next = lane.attemptEnded(turns.last ?? self.id(0)) { turns.append(next) }
        #expect(turns == (PushLane.underWayMax..<most).map(self.id))
    }
}
