package import NIOCore

/// An HTTP/2 frame (RFC 9113, 4.1).
///
/// Nothing is checked, so that tests can break any rule.
package struct RawFrame: Sendable, Equatable {
    /// The kinds of frame (RFC 9113, 6).
    package enum Kind: UInt8, Sendable {
        case data, headers, priority, rstStream, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// The bytes before the frames of a client (RFC 9113, 3.4).
    package static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    /// Flags (RFC 9113, 6).
    package static let (endStream, ack, endHeaders, padded, priority): (UInt8, UInt8, UInt8, UInt8, UInt8) =
        (0x1, 0x1, 0x4, 0x8, 0x20)

    /// The type, which may be unknown.
    package var type: UInt8
    package var flags: UInt8
    /// The stream, with the reserved bit.
    package var stream: UInt32
    package var payload: [UInt8]

    package init(_ kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.init(type: kind.rawValue, flags: flags, stream: stream, payload)
    }

    /// Makes a frame of any type.
    package init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    /// The known type; nil for another.
    package var kind: Kind? { Kind(rawValue: self.type) }

    /// The frame's bytes; `length`, if given, replaces the payload's real length.
    package func bytes(length: Int? = nil) -> [UInt8] {
        let length = length ?? self.payload.count
        return [UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8)]
            + [UInt8(truncatingIfNeeded: length), self.type, self.flags] + Self.bytes(of: self.stream) + self.payload
    }

    /// The four bytes of a number.
    package static func bytes(of number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// Removes the next complete frame from the received bytes.
    package init?(takingFrom buffer: inout ByteBuffer) {
        guard let head = buffer.getBytes(at: buffer.readerIndex, length: 9) else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard buffer.readableBytes >= 9 + length else { return nil }
        buffer.moveReaderIndex(forwardBy: 9)
        let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
        self.init(type: head[3], flags: head[4], stream: stream, buffer.readBytes(length: length) ?? [])
    }
}
