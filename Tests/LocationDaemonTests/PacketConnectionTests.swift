internal import Dispatch
internal import Testing
internal import WhereaboutsLocationWire

@testable internal import WhereaboutsLocationDaemon

/// Tests for packets that wait for a slow or suspended app, up to a limit.
@Suite struct PacketConnectionTests {
    private let queue = DispatchQueue(label: "test")
    private let peer: PacketSocket
    private let connection: PacketConnection

    init() throws {
        let (own, peer) = try PacketSocket.pair()
        self.peer = peer
        self.connection = PacketConnection(own, queue: self.queue, writable: {}, event: { _ in })
    }

    private func received() throws -> [UInt8]? {
        if case .packet(let packet, _) = try self.peer.receive() { packet } else { nil }
    }

    @Test func nothingIsWrittenToAFrozenApp() throws {
        #expect(self.connection.send([1]))
        self.connection.hold()
        #expect(self.connection.send([2]))
        self.connection.send(newest: [3], of: 7)
        self.connection.send(newest: [4], of: 8)
        self.connection.send(newest: [5], of: 7)
        #expect(self.connection.send([6]))
        #expect(try self.received() == [1])
        #expect(try self.received() == nil)
        // After resuming, the app receives all essential packets in order, and the newest fix of each stream.
        self.connection.release()
        #expect(try (0..<4).map { _ in try self.received() } == [[2], [6], [4], [5]])
        #expect(try self.received() == nil)
        #expect(self.connection.send([9]))
        #expect(try self.received() == [9])
        self.connection.close()
    }

    @Test func whatWaitsIsBounded() {
        self.connection.hold()
        for number in 0..<PacketConnection.queuedMax { #expect(self.connection.send([UInt8(number & 0xFF)])) }
        #expect(!self.connection.send([0]))
        self.connection.close()
    }
}
