import Conditions
import Geodesy
import Testing
import Vocabulary

@Suite struct BeliefTests {
    @Test func keptSidesAreBelieved() {
        #expect(Belief(side: .inside).side == .inside)
        #expect(Belief(side: .inside).awaited == nil)
    }
}
