/// Limits a provider's frames that carry no part of a request.
///
/// Each request allows some of them, because a surplus only costs processor time.
///
/// It reads only the headers of frames (RFC 9113, section 4.1); other code checks the frames themselves.
public struct FrameAccount: Sendable, Hashable {
    /// The number of frames that a new connection may send, and the maximum that a connection can save up.
    ///
    /// Source: our choice; a client that sends a window update after each of 1,000 answers stays far below.
    public static let idleMax = 10_000
    /// The number of frames that a request allows: enough for its window updates, and a reserve.
    ///
    /// Source: our choice; an answer has about 100 bytes, for which clients send at most two window updates.
    static let paidByRequest = 10

    /// Client connection preface (RFC 9113, section 3.4).
    private static let prefaceBytes = 24
    private static let headerBytes = 9

    private var idleLeft = Self.idleMax
    /// The number of bytes to skip: the preface, and later payloads.
    private var passing = Self.prefaceBytes
    /// The number of received header bytes, and the length and the type in them.
    private var headerCount = 0
    private var length = 0
    private var type: UInt8 = 0

    /// Creates the account of a new connection.
    public init() {}

    /// Records the received bytes.
    ///
    /// - Parameter bytes: the bytes, in pieces of any size.
    /// - Returns: false if there were more idle frames than the requests allowed.
    public mutating func received(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if self.passing > 0 {
                let passed = min(self.passing, bytes.distance(from: index, to: bytes.endIndex))
                index = bytes.index(index, offsetBy: passed)
                self.passing -= passed
                continue
            }
            self.take(bytes[index])
            index = bytes.index(after: index)
            if self.idleLeft < 0 { return false }
        }
        return true
    }

    /// Reads a byte of a header; after the last one the payload follows.
    private mutating func take(_ byte: UInt8) {
        switch self.headerCount {
        case 0: self.length = Int(byte)
        case 1, 2: self.length = self.length << 8 | Int(byte)
        case 3: self.type = byte
        default: break
        }
        self.headerCount += 1
        guard self.headerCount == Self.headerBytes else { return }
        self.headerCount = 0
        self.passing = self.length
        switch self.type {
        // HEADERS.
        case 1: self.idleLeft = min(self.idleLeft + Self.paidByRequest, Self.idleMax)
        // DATA, RST_STREAM, SETTINGS, PING, GOAWAY and CONTINUATION have their own limits.
        case 0, 3, 4, 6, 7, 9: break
        // PRIORITY, PUSH_PROMISE, WINDOW_UPDATE and unknown frames.
        default: self.idleLeft -= 1
        }
    }
}
