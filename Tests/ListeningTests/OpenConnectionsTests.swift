internal import NIOCore
internal import NIOEmbedded
internal import Synchronization
internal import Testing
internal import WhereaboutsListening
internal import WhereaboutsVocabulary

@Suite struct OpenConnectionsTests {
    /// Connections that hear how many are open.
    private struct Rig: ~Copyable {
        let counts = Counts()
        let open: OpenConnections

        init(placesMax: Int) {
            self.open = OpenConnections(placesMax: placesMax) { [counts = self.counts] in counts.append($0) }
        }

        func arrives(from address: String = "192.0.2.1") throws -> (EmbeddedChannel, OpenConnections.OnArrival) {
            let channel = EmbeddedChannel()
            try channel.connect(to: SocketAddress(ipAddress: address, port: 443)).wait()
            return (channel, self.open.arrived(channel))
        }
    }

    private final class Counts: Sendable {
        private let counts = Mutex<[Int]>([])
        var all: [Int] { self.counts.withLock { $0 } }
        func append(_ count: Int) { self.counts.withLock { $0.append(count) } }
    }

    @Test func aConnectionHoldsItsPlaceUntilItCloses() throws {
        let rig = Rig(placesMax: 2)
        let (first, action) = try rig.arrives()
        #expect(action == .serve)
        let (second, _) = try rig.arrives()
        #expect(rig.open.all.count == 2)
        _ = try first.finish()
        #expect(rig.open.all.map { ObjectIdentifier($0) } == [ObjectIdentifier(second)])
        #expect(rig.counts.all == [1, 2, 1])
    }

    @Test func aStrangerIsClosedForTheNext() throws {
        let rig = Rig(placesMax: 1)
        let (first, _) = try rig.arrives()
        let (second, action) = try rig.arrives()
        #expect(action == .serveInPlaceOfAStranger)
        #expect(!first.isActive && second.isActive)
        // The close of the one that gave way changes no count.
        #expect(rig.open.all.count == 1 && rig.counts.all == [1, 1])
    }

    @Test func somebodyKnownStays() throws {
        let rig = Rig(placesMax: 1)
        let (first, _) = try rig.arrives()
        rig.open.showed(.known, first)
        let (second, action) = try rig.arrives()
        #expect(action == .refuse)
        #expect(first.isActive && rig.open.all.count == 1)
        // The one that was turned away held no place, so that its close frees none.
        _ = try second.finish()
        #expect(rig.open.all.count == 1)
    }

    @Test func anAddressHasItsShareOnly() throws {
        let rig = Rig(placesMax: 100)
        var channels: [EmbeddedChannel] = []
        for _ in 0..<16 {
            let (channel, action) = try rig.arrives()
            #expect(action == .serve)
            channels.append(channel)
        }
        #expect(try rig.arrives().1 == .refuseAddress)
        #expect(try rig.arrives(from: "192.0.2.2").1 == .serve)
        _ = try channels[0].finish()
        #expect(try rig.arrives().1 == .serve)
    }
}
