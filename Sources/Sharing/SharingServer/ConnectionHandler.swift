internal import NIOCore
internal import NIOHTTPTypes
internal import NIOTLS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Handles one connection of the server: counts it, and applies the deadlines of ``ConnectionLife``.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: Connections
    // Touched on the connection's event loop alone.
    private var life: ConnectionLife?
    private var attached: (context: ChannelHandlerContext, timer: DeadlineTimer)?

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
        self.detach()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.detach()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
            self.change { $0.handshakeCompleted(now: $1) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head: self.change { $0.headReceived(now: $1) }
        case .body: break
        case .end: self.change { $0.requestReceived(now: $1) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = Self.unwrapOutboundIn(data) { self.change { $0.replied(now: $1) } }
        context.write(data, promise: promise)
    }

    private func begin(_ context: ChannelHandlerContext) {
        guard self.life == nil else { return }
        guard self.connections.arrived(context.channel) else { return context.channel.cut() }
        self.life = ConnectionLife(now: .onEventLoop())
        let timer = DeadlineTimer(context.eventLoop) { [weak self] in self?.deadlineReached() }
        self.attached = (context, timer)
        self.followDeadline()
    }

    private func detach() {
        self.attached?.timer.follow(nil)
        self.attached = nil
    }

    private func change(_ input: (inout ConnectionLife, EngineInstant) -> Void) {
        guard var life = self.life else { return }
        input(&life, .onEventLoop())
        self.life = life
        self.followDeadline()
    }

    private func followDeadline() {
        // There is no deadline while the server replies. Keep the timer: otherwise each request would cancel it and set
        // it again.
        guard let deadline = self.life?.deadline else { return }
        self.attached?.timer.follow(deadline)
    }

    private func deadlineReached() {
        switch self.life?.deadlineReached(now: .onEventLoop()) {
        case .close:
            self.connections.waitedTooLong()
            self.attached?.context.close(promise: nil)
        case .ignore, nil: self.followDeadline()
        }
    }
}
