internal import NIOCore
internal import NIOHTTPTypes
internal import NIOTLS
internal import SharingEngine
internal import Vocabulary

/// One connection of the server: takes its place, and keeps the deadlines of ``ConnectionLife``.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    // Touched on the connection's event loop alone.
    private var life: ConnectionLife?
    private var timer: Scheduled<Void>?

    init(connections: Connections) {
        self.connections = connections
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { self.begin(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        self.begin(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.timer?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.cancel()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
            self.change(context) { $0.handshakeCompleted(now: $1) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head: self.change(context) { $0.headReceived(now: $1) }
        case .body: break
        case .end: self.change(context) { $0.requestReceived(now: $1) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = Self.unwrapOutboundIn(data) { self.change(context) { $0.replied(now: $1) } }
        context.write(data, promise: promise)
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard self.life == nil else { return }
        guard self.connections.arrived(context.channel) else { return context.close(promise: nil) }
        self.life = ConnectionLife(now: Self.now)
        self.setTimer(context)
    }

    private func change(_ context: ChannelHandlerContext, _ input: (inout ConnectionLife, EngineInstant) -> Void) {
        guard var life = self.life else { return }
        input(&life, Self.now)
        self.life = life
        self.setTimer(context)
    }

    /// Sets the timer of the deadline; a timer that is earlier than that sets itself again.
    private func setTimer(_ context: ChannelHandlerContext) {
        guard self.timer == nil, let deadline = self.life?.deadline else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        self.timer = context.eventLoop.scheduleTask(in: TimeAmount(Self.now.duration(to: deadline))) {
            let (handler, context) = bound.value
            handler.timer = nil
            handler.deadlineReached(context)
        }
    }

    private func deadlineReached(_ context: ChannelHandlerContext) {
        switch self.life?.deadlineReached(now: Self.now) {
        case .close:
            self.connections.waitedTooLong()
            context.close(promise: nil)
        case .ignore, nil: self.setTimer(context)
        }
    }

    private static var now: EngineInstant {
        EngineInstant(sinceStart: .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)))
    }
}
