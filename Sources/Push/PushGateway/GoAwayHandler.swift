internal import NIOCore
internal import WhereaboutsAPNS

/// The order to send GOAWAY to a peer, as an outbound event.
struct GoAway: Sendable {
    /// The greatest stream ID: such a GOAWAY rejects no stream (RFC 9113, 6.8).
    static let anyStream = UInt32(Int32.max)

    let reason: Reason
    /// The last accepted stream.
    let lastStream: UInt32

    /// The frame (RFC 9113, 6.8), with NO_ERROR.
    var frame: ByteBuffer {
        let reason = #"{"reason":"\#(self.reason.rawValue)"}"#
        var frame = ByteBuffer()
        frame.writeMultipleIntegers(UInt8(0), UInt16(8 + reason.utf8.count), UInt8(7), UInt8(0), UInt32(0))
        frame.writeMultipleIntegers(self.lastStream, UInt32(0))
        frame.writeString(reason)
        return frame
    }
}

/// Writes GOAWAY past the HTTP/2 handler, which must not see it.
///
/// After any GOAWAY, NIO's state machine lets the peer open no stream, whatever the last stream is. It would refuse requests that
/// were sent before the peer received the first GOAWAY, and end the connection when their bodies arrive.
final class GoAwayHandler: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = ByteBuffer

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let order = event as? GoAway else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        context.writeAndFlush(Self.wrapOutboundOut(order.frame), promise: promise)
    }
}
