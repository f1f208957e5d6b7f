internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for when a sharer repeats data that its server may have lost.
struct DatabaseMemoryTests {
    private let first = DatabaseID(high: 0, low: 1)
    private let second = DatabaseID(high: 0, low: 2)

    @Test func anotherDatabaseIsToldAgainUntilItHasEverything() {
        var memory = DatabaseMemory(known: nil)
        #expect(memory.replied(by: nil) == .ignore)
        #expect(memory.replied(by: self.first) == .tellAgain(self.first))
        #expect(memory.replied(by: self.first) == .tellAgain(self.first), "it was not told yet")
        memory.toldAgain(self.first)
        #expect(memory.replied(by: self.first) == .ignore)
        #expect(memory.replied(by: self.second) == .tellAgain(self.second))
        #expect(memory.known == self.first)
    }
}
