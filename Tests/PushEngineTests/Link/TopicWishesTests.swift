internal import Testing

@testable internal import PushEngine

struct TopicWishesTests {
    @Test func wishesAreRepeatedUntilConfirmed() {
        var wishes = TopicWishes()
        wishes.register("b")
        wishes.register("a")
        #expect(wishes.requests == [.register(topic: "a"), .register(topic: "b")])
        wishes.unregister("a")
        #expect(wishes.requests == [.unregister(topic: "a"), .register(topic: "b")])
        wishes.register("a")
        #expect(wishes.requests == [.unregister(topic: "a"), .register(topic: "a"), .register(topic: "b")])
        wishes.unregistered("a")
        #expect(wishes.requests == [.register(topic: "a"), .register(topic: "b")])
        wishes.unregister("a")
        wishes.unregistered("a")
        #expect(wishes.requests == [.register(topic: "b")])
    }
}
