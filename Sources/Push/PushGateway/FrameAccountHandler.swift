internal import NIOCore
internal import WhereaboutsPushEngine

/// Looks at a provider's bytes before HTTP/2 does, and passes them on while their frames are paid for.
final class FrameAccountHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var account = FrameAccount()
    private var isSpent = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The connection ends, so the rest is not read.
        guard !self.isSpent else { return }
        if self.account.received(self.unwrapInboundIn(data).readableBytesView) { return context.fireChannelRead(data) }
        self.isSpent = true
        context.fireErrorCaught(IdleFrameFlood())
    }
}

/// More frames than a connection's requests paid for.
struct IdleFrameFlood: Error {}
