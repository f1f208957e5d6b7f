internal import Testing

@testable internal import PushEngine

struct TopicWishesTests {
    @Test func wishesAreRepeatedUntilConfirmed() {
        var wishes = TopicWishes()
        wishes.register("b")
        wishes.register("a")
        #expect(wishes.requests == [.register("a"), .register("b")])
        wishes.unregister("a")
        #expect(wishes.requests == [.unregister("a"), .register("b")])
        wishes.register("a")
        #expect(wishes.requests == [.unregister("a"), .register("a"), .register("b")])
        wishes.unregistered("a")
        #expect(wishes.requests == [.register("a"), .register("b")])
        wishes.unregister("a")
        wishes.unregistered("a")
        #expect(wishes.requests == [.register("b")])
    }
}
