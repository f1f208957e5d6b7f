internal import Sharing
internal import SharingEngine
internal import SharingServer
internal import Testing

struct InProcessBusTests {
    @Test func eachSubscriberIsWokenOnce() async throws {
        let bus = InProcessBus()
        let id = try #require(RequestID(bytes: Array(repeating: 2, count: 16)))
        var first = bus.subscribe(to: id).makeAsyncIterator()
        var second = bus.subscribe(to: id).makeAsyncIterator()
        bus.publish(id)
        bus.publish(id)
        #expect(await first.next() != nil)
        #expect(await second.next() != nil)
    }
}
