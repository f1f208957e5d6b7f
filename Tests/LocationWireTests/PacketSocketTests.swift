internal import Foundation
internal import Testing

@testable internal import WhereaboutsLocationWire

@Suite struct PacketSocketTests {
    private func packet(_ received: PacketSocket.Received) -> [UInt8]? {
        if case .packet(let bytes, _) = received { bytes } else { nil }
    }

    @Test func packetsKeepTheirBoundaries() throws {
        let (left, right) = try PacketSocket.pair()
        #expect(try left.send([1, 2, 3]) == .sent)
        #expect(try left.send([4]) == .sent)
        #expect(self.packet(try right.waitForPacket(milliseconds: 1000)) == [1, 2, 3])
        #expect(self.packet(try right.waitForPacket(milliseconds: 1000)) == [4])
        guard case .empty = try right.receive() else { return #expect(Bool(false), "a packet too many") }
    }

    @Test func theLongestPacketArrivesWhole() throws {
        let (left, right) = try PacketSocket.pair()
        let longest = [UInt8](repeating: 7, count: PacketSocket.packetBytesMax)
        #expect(try left.send(longest) == .sent)
        #expect(self.packet(try right.waitForPacket(milliseconds: 1000)) == longest)
    }

    @Test func aPeerThatIsGoneIsClosedOnBothSides() throws {
        var ends: (PacketSocket, PacketSocket)? = try PacketSocket.pair()
        let left = try #require(ends?.0)
        ends = nil
        guard case .closed = try left.waitForPacket(milliseconds: 1000) else {
            return #expect(Bool(false), "not closed")
        }
        #expect(try left.send([1]) == .closed)
    }

    @Test func aPeerThatDoesNotReadFillsUpAndNothingIsLost() throws {
        let (left, right) = try PacketSocket.pair()
        left.setNonblocking()
        left.setSendBuffer(bytes: 16 * 1024)
        var sent: UInt8 = 0
        while sent < 255, try left.send([UInt8](repeating: sent, count: 100)) == .sent { sent += 1 }
        // Fewer stale fixes than a default buffer holds (278).
        #expect(sent > 0 && sent < 100)
        for expected in 0..<sent { #expect(self.packet(try right.receive())?.first == expected) }
    }

    /// Goal: a truncated packet is never accepted as complete.
    @Test func aPacketLongerThanAnyIsAnError() throws {
        let (left, right) = try PacketSocket.pair()
        let sent = unsafe [UInt8](repeating: 1, count: PacketSocket.packetBytesMax + 1).withUnsafeBytes { bytes in
            unsafe send(left.descriptor, bytes.baseAddress, bytes.count, 0)
        }
        #expect(sent == PacketSocket.packetBytesMax + 1)
        #expect(throws: WireError("cannot receive", code: EMSGSIZE)) { try right.receive() }
        #expect(try left.send([2]) == .sent)
        #expect(self.packet(try right.receive()) == [2])
    }

    @Test func aPathThatIsTooLongOrLeadsNowhereIsAnError() {
        #expect(throws: WireError.self) {
            try PacketSocket.connect(to: "/nowhere/\(String(repeating: "x", count: 200))")
        }
        #expect(throws: WireError.self) { try PacketSocket.connect(to: "/nowhere/at/all") }
    }

    @Test func aPacketThatNoPeerWouldTakeWholeTraps() async {
        await #expect(processExitsWith: .failure) {
            let (left, _) = try PacketSocket.pair()
            _ = try left.send([UInt8](repeating: 0, count: PacketSocket.packetBytesMax + 1))
        }
    }
}
