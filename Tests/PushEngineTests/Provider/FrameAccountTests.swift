internal import Testing
internal import WhereaboutsPushEngine

@Suite struct FrameAccountTests {
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    private static func frame(_ type: UInt8, _ length: Int = 4) -> [UInt8] {
        // The payload looks like the headers of idle frames, in case the code reads it as frames.
        [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, 0, 0, 0, 0, 1]
            + [UInt8](repeating: 8, count: length)
    }

    /// The number of these frames that are accepted after the preface and other frames.
    private static func taken(_ type: UInt8, after before: [UInt8] = []) -> Int {
        var account = FrameAccount()
        guard account.received(Self.preface + before) else { return -1 }
        let frame = Self.frame(type)
        for count in 0..<30_000 where !account.received(frame) { return count }
        return .max
    }

    /// Goal: only WINDOW_UPDATE, PRIORITY and unknown frames are counted; frames of requests, and those with other
    /// limits, are not.
    @Test(arguments: UInt8(0)...16) func idleFramesEnd(type: UInt8) {
        let isIdle = ![0, 1, 3, 4, 6, 7, 9].contains(type)
        #expect(Self.taken(type) == (isIdle ? FrameAccount.idleMax : .max))
    }

    @Test func aRequestPaysForTenAndNothingIsSavedUp() {
        let requests = (0..<100).flatMap { _ in Self.frame(1, 300) + Self.frame(0, 1000) }
        #expect(Self.taken(8, after: requests) == FrameAccount.idleMax)
        let spent = (0..<FrameAccount.idleMax).flatMap { _ in Self.frame(8) }
        #expect(Self.taken(8, after: spent) == 0)
        #expect(Self.taken(8, after: spent + Self.frame(1, 0)) == 10)
    }

    /// Goal: the count does not depend on how the bytes are split.
    @Test(arguments: [1, 2, 7, 9, 13, 1000]) func piecesChangeNothing(size: Int) {
        let bytes = Self.preface + (0..<3000).flatMap { Self.frame([1, 0, 8, 77][$0 % 4], $0 % 40) }
        var (whole, pieces) = (FrameAccount(), FrameAccount())
        var arePaid = whole.received(bytes)
        for start in stride(from: 0, to: bytes.count, by: size) {
            arePaid = pieces.received(bytes[start..<min(start + size, bytes.count)]) && arePaid
        }
        #expect(arePaid)
        #expect(pieces == whole)
    }
}
