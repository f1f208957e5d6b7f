internal import APNS
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL
internal import NIOTLS
internal import PushEngine
internal import PushLink
internal import Vocabulary

/// The shell of ``PushEngine/ProviderConnection``: the HTTP/2 connection of a provider, its timer, and its provider token.
///
/// Sits behind the HTTP/2 handler, where the frames of the connection itself arrive; the handlers of its streams ask it.
final class ProviderConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let reader: ProviderTokenReader
    private let host: GatewayHost
    private let now: @Sendable () -> WallTime
    private let connections: ConnectionRegistry
    private let metrics: GatewayMetrics
    private var connection = ProviderConnection(now: .onEventLoop())
    /// The parts that need the channel, from the time it is there until its end.
    private var attached: (context: ChannelHandlerContext, timer: DeadlineTimer)?
    /// The last `authorization` and what it proves: a provider sends the same for an hour, and to verify it costs more
    /// than all the rest of a request.
    private var last: (authorization: String, evidence: ProviderTokenEvidence)?
    private var lastStreamID = HTTP2StreamID.rootStream

    init(
        reader: ProviderTokenReader,
        host: GatewayHost,
        connections: ConnectionRegistry,
        metrics: GatewayMetrics,
        now: @escaping @Sendable () -> WallTime
    ) {
        self.reader = reader
        self.host = host
        self.connections = connections
        self.metrics = metrics
        self.now = now
    }

    // MARK: Called by the streams.

    func streamOpened(_ id: HTTP2StreamID) {
        self.connection.requestBegan()
        self.lastStreamID = max(self.lastStreamID, id)
    }

    func streamClosed() {
        switch self.connection.requestEnded() {
        case .ignore: break
        case .close: self.attached?.context.close(promise: nil)
        }
        self.followDeadline()
    }

    /// Whether an `authorization` is signed with a key that is known here.
    func isVerified(_ authorization: String?) -> Bool {
        if case .verified = self.evidence(authorization: authorization) { true } else { false }
    }

    /// Decides a request; the reply comes on any thread.
    func handle(_ request: PushRequest, reply: @escaping GatewayHost.Reply) {
        let evidence = self.evidence(authorization: request.value(of: HeaderName.authorization))
        let wasKnown = self.connection.isKnown
        do throws(Rejection) {
            self.host.submit(try self.connection.requestReceived(request, evidence, now: self.now()), reply: reply)
        } catch {
            self.metrics.replied(error)
            reply(.failure(error))
        }
        if !wasKnown, self.connection.isKnown, let channel = self.attached?.context.channel {
            self.connections.showed(.known, channel)
        }
        self.followDeadline()
    }

    private func evidence(authorization: String?) -> ProviderTokenEvidence {
        guard let authorization else { return .missing }
        if let last = self.last, last.authorization == authorization { return last.evidence }
        let evidence = self.reader.evidence(authorization: authorization)
        self.last = (authorization, evidence)
        return evidence
    }

    // MARK: The connection.

    func handlerAdded(context: ChannelHandlerContext) {
        self.attached = (context, DeadlineTimer(context.eventLoop) { [weak self] in self?.deadlineReached() })
        self.followDeadline()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.attached?.timer.follow(nil)
        self.attached = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Only frames of the connection itself come here, and none needs us.
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is GatewayShutdown: self.end(.shutdown)
        case .handshakeCompleted as TLSUserEvent:
            self.connection.handshakeEnded(now: .onEventLoop())
            self.followDeadline()
            context.fireUserInboundEventTriggered(event)
        case IdleStateHandler.IdleStateEvent.read: self.end(.idleTimeout)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An error of one stream is that stream's, which was reset for it; TLS and TCP close what they cannot use. Any
        // other is against the rules of the connection, and GOAWAY went out for it: those requests are answered that are
        // whole, and it is closed.
        if StreamErrors.contains(error) || error is NIOSSLError { return }
        _ = self.connection.endDecided(now: .onEventLoop())
        self.followDeadline()
    }

    private func end(_ reason: Reason) {
        switch self.connection.endDecided(now: .onEventLoop()) {
        case .ignore: break
        case .goAway: self.goAway(reason)
        }
        self.followDeadline()
    }

    private func deadlineReached() {
        switch self.connection.deadlineReached(now: .onEventLoop()) {
        case .ignore: break
        case .goAway(let reason): self.goAway(reason)
        case .close: self.attached?.context.close(promise: nil)
        }
        self.followDeadline()
    }

    private func followDeadline() {
        self.attached?.timer.follow(self.connection.deadline)
    }

    private func goAway(_ reason: Reason) {
        let goAway = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(
                lastStreamID: self.lastStreamID,
                errorCode: .noError,
                opaqueData: ByteBuffer(string: #"{"reason":"\#(reason.rawValue)"}"#)
            )
        )
        self.attached?.context.writeAndFlush(Self.wrapOutboundOut(goAway), promise: nil)
    }
}

/// The event by which the gateway tells a connection to end.
struct GatewayShutdown: Sendable {}
