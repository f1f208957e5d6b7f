internal import NIOCore

/// Waits for the first byte of a connection, and only then adds the handlers for TLS.
///
/// A TLS session needs 98 KiB even before the first byte (measured with a thousand silent connections). This saves them.
final class FirstByteHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// How long the first byte may take; TLS clients send first.
    static let patience = Duration.seconds(10)

    private let configure: (any Channel, ByteBuffer) throws -> Void
    private let gaveUp: @Sendable () -> Void
    private var deadline: Scheduled<Void>?

    /// Creates the handler.
    ///
    /// - Parameters:
    ///   - gaveUp: called when no byte arrived in time.
    ///   - configure: adds the handlers of the connection; receives the first bytes.
    init(gaveUp: @escaping @Sendable () -> Void, configure: @escaping (any Channel, ByteBuffer) throws -> Void) {
        self.gaveUp = gaveUp
        self.configure = configure
    }

    func channelActive(context: ChannelHandlerContext) {
        let (channel, gaveUp) = (context.channel, self.gaveUp)
        self.deadline = context.eventLoop.scheduleTask(in: TimeAmount(Self.patience)) {
            gaveUp()
            channel.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.deadline?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.deadline?.cancel()
        do {
            try self.configure(context.channel, Self.unwrapInboundIn(data))
        } catch {
            return context.close(promise: nil)
        }
        // Repeat the event for the new handlers.
        context.fireChannelActive()
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is GatewayShutdown {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}
