internal import Testing

@testable internal import WhereaboutsPushEngine

struct TopicWishesTests {
    @Test func wishesAreRepeatedUntilConfirmed() {
        var wishes = TopicWishes()
        #expect(wishes.register("b") == true)
        #expect(wishes.register("a") == true)
        #expect(wishes.requests == [.register(topic: "a"), .register(topic: "b")])
        wishes.unregister("a")
        #expect(wishes.requests == [.unregister(topic: "a"), .register(topic: "b")])
        #expect(wishes.register("a") == true)
        #expect(wishes.requests == [.unregister(topic: "a"), .register(topic: "a"), .register(topic: "b")])
        wishes.unregistered("a")
        #expect(wishes.requests == [.register(topic: "a"), .register(topic: "b")])
        wishes.unregister("a")
        wishes.unregistered("a")
        #expect(wishes.requests == [.register(topic: "b")])
    }

    /// Goal: a received token is not requested again on its connection, but is on the next one.
    @Test func answeredWishesRest() {
        var wishes = TopicWishes()
        for topic in ["a", "b"] { #expect(wishes.register(topic) == true) }
        wishes.registered("a")
        #expect(wishes.requests == [.register(topic: "b")])
        #expect(wishes.connected() == [.register(topic: "a"), .register(topic: "b")])
        wishes.registered("a")
        wishes.unregister("a")
        wishes.unregistered("a")
        #expect(wishes.register("a") == true)
        #expect(wishes.requests == [.register(topic: "a"), .register(topic: "b")])
    }

    /// Goal: the device requests nothing that would make a gateway close the link.
    @Test func wishesThatNoGatewayGrantsAreLeftOut() {
        var wishes = TopicWishes()
        for text in ["", "a\0b", "a b"] { #expect(wishes.register(text) == false) }
        for number in 0..<TokenDecision.topicsMax { #expect(wishes.register("t\(number)") == true) }
        #expect(wishes.register("more") == false)
        #expect(wishes.register("t0") == true)
        #expect(wishes.requests.count == TokenDecision.topicsMax)
    }
}
