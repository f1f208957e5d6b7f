internal import NIOCore
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLinkMessages

/// Passes the frames and the end of one connection to the client.
final class PushLinkClientHandler: ChannelInboundHandler {
    typealias InboundIn = PushLinkGatewayFrame

    private let core: PushLinkCore
    private let attempt: Int

    init(core: PushLinkCore, attempt: Int) {
        self.core = core
        self.attempt = attempt
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.core.received(GatewayMessage(Self.unwrapInboundIn(data)), on: context.channel, attempt: self.attempt)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.core.connectionEnded("the connection was closed", attempt: self.attempt)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.core.connectionEnded(error, attempt: self.attempt)
        context.close(promise: nil)
    }
}
