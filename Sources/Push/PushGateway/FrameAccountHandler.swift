internal import NIOCore
internal import WhereaboutsPushEngine

/// Counts a provider's frames before the HTTP/2 handler receives them, and drops them beyond the limit of ``PushEngine/FrameAccount``.
final class FrameAccountHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var account = FrameAccount()
    private var isSpent = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Drop the rest, because the connection ends.
        guard !self.isSpent else { return }
        if self.account.received(self.unwrapInboundIn(data).readableBytesView) { return context.fireChannelRead(data) }
        self.isSpent = true
        context.fireErrorCaught(IdleFrameFlood())
    }
}

/// More frames than a connection's requests allow.
struct IdleFrameFlood: Error {}
