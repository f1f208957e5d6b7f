internal import NIOCore

/// The last handler of a receiver's channel: passes received bytes to the source.
final class ReceiverHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let opened: (any Channel) -> Void
    private let received: (ByteBuffer) -> Void

    init(opened: @escaping (any Channel) -> Void, received: @escaping (ByteBuffer) -> Void) {
        self.opened = opened
        self.received = received
    }

    func channelActive(context: ChannelHandlerContext) { self.opened(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { self.received(self.unwrapInboundIn(data)) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Unwraps datagrams from any sender.
final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(self.wrapInboundOut(self.unwrapInboundIn(data).data))
    }
}
