package import NIOCore
package import SwiftProtobuf

/// The frames of a push link: four bytes of length, big-endian, and one message.
package enum PushLinkFraming {
    /// The maximum number of bytes of a message: the longest list has 256 topics of 258 bytes, the largest push about 6 KiB.
    package static let messageBytesMax = 80 * 1024

    /// Returns a message as a frame.
    ///
    /// - Throws: ``PushLinkError`` when the message is larger than its reader would accept.
    package static func frame(
        _ message: some SwiftProtobuf.Message,
        allocator: ByteBufferAllocator
    ) throws
        -> ByteBuffer
    {
        let bytes: [UInt8] = try message.serializedBytes()
        guard bytes.count <= Self.messageBytesMax else { throw PushLinkFraming.tooLarge(bytes.count) }
        var buffer = allocator.buffer(capacity: 4 + bytes.count)
        buffer.writeInteger(UInt32(bytes.count))
        buffer.writeBytes(bytes)
        return buffer
    }

    static func tooLarge(_ count: Int) -> PushLinkError {
        PushLinkError(.frameTooLarge, "a frame of \(count) bytes; a push link carries at most \(Self.messageBytesMax)")
    }
}

/// Decodes the bytes of a push link into messages.
package struct PushLinkFrameDecoder<Frame: SwiftProtobuf.Message & Sendable>: NIOCore.ByteToMessageDecoder {
    package typealias InboundOut = Frame

    package init() {}

    package mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self) else { return .needMoreData }
        // Check before the bytes arrive: the peer must not make us buffer an invalid frame.
        guard length <= PushLinkFraming.messageBytesMax else { throw PushLinkFraming.tooLarge(Int(length)) }
        guard buffer.readableBytes >= 4 + Int(length) else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 4)
        guard let bytes = buffer.readBytes(length: Int(length)), let frame = try? Frame(serializedBytes: bytes) else {
            throw PushLinkError(.frameMalformed, "a frame is not a \(Frame.protoMessageName)")
        }
        context.fireChannelRead(Self.wrapInboundOut(frame))
        return .continue
    }

    package mutating func decodeLast(
        context: ChannelHandlerContext,
        buffer: inout ByteBuffer,
        seenEOF: Bool
    ) throws -> DecodingState {
        // A frame that is cut off by the end of the connection is lost; the peer repeats important ones.
        try self.decode(context: context, buffer: &buffer)
    }
}
