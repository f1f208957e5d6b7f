internal import APNS
internal import Logging
internal import NIOCore
internal import NIOHTTP2
internal import PushEngine

/// One connection of a provider: who it is, how many requests are under way, and how it ends.
///
/// Sits behind the HTTP/2 handler, where the frames of the connection itself arrive; the handlers of its streams ask it.
/// The connection ends with GOAWAY and a reason: when nothing came for long, and when the gateway stops.
final class ProviderConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// How long a connection may last without a good provider token, so that strangers cannot hold all of them.
    static let strangerTimeout = TimeAmount.seconds(60)
    /// How long a connection may be silent; Apple advises providers to ping after an hour.
    static let idleTimeout = TimeAmount.hours(2)
    /// How long requests under way may go on when the gateway stops.
    static let shutdownTimeout = TimeAmount.seconds(5)

    private let reader: ProviderTokenReader
    private let host: GatewayHost
    private let now: @Sendable () -> WallTime
    private var context: ChannelHandlerContext?
    private var connection = ProviderConnection()
    /// The last `authorization` and what it proves: a provider sends the same for an hour, and to verify it costs more
    /// than all the rest of a request.
    private var last: (authorization: String, evidence: ProviderTokenEvidence)?
    private var strangerDeadline: Scheduled<Void>?
    private var lastStreamID = HTTP2StreamID.rootStream
    private var openStreams = 0
    private var isEnding = false

    init(reader: ProviderTokenReader, host: GatewayHost, now: @escaping @Sendable () -> WallTime) {
        self.reader = reader
        self.host = host
        self.now = now
    }

    // MARK: Called by the streams.

    func streamOpened(_ id: HTTP2StreamID) {
        self.openStreams += 1
        self.lastStreamID = max(self.lastStreamID, id)
    }

    func streamClosed() {
        self.openStreams -= 1
        if self.isEnding, self.openStreams == 0 { self.context?.close(promise: nil) }
    }

    /// Decides a request; the reply comes on any thread.
    func handle(_ request: PushRequest, reply: @escaping GatewayHost.Reply) {
        let now = self.now()
        let evidence = self.evidence(authorization: request.value(of: HeaderName.authorization))
        let provider = self.connection.tokenPresented(evidence, now: now)
        if provider == .accept { self.strangerDeadline?.cancel() }
        do throws(Rejection) {
            let push = try request.validated(provider: provider, now: now)
            guard !self.isEnding else { throw Rejection(.shutdown) }
            self.host.submit(push, reply: reply)
        } catch {
            reply(.failure(error))
        }
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
        self.context = context
        self.strangerDeadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.strangerTimeout) {
            self.end(.idleTimeout, context: context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.strangerDeadline?.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Only frames of the connection itself come here, and none needs us.
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is GatewayShutdown: self.end(.shutdown, context: context)
        case IdleStateHandler.IdleStateEvent.read: self.end(.idleTimeout, context: context)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A stream's error ends the stream; what ends the connection closes it below us. TLS errors close here.
        if error is NIOHTTP2Errors.StreamError { return }
        context.close(promise: nil)
    }

    private func end(_ reason: Reason, context: ChannelHandlerContext) {
        guard !self.isEnding else { return }
        self.isEnding = true
        let goAway = HTTP2Frame(
            streamID: .rootStream,
            payload: .goAway(
                lastStreamID: self.lastStreamID,
                errorCode: .noError,
                opaqueData: ByteBuffer(string: #"{"reason":"\#(reason.rawValue)"}"#)
            )
        )
        context.writeAndFlush(Self.wrapOutboundOut(goAway), promise: nil)
        guard self.openStreams > 0 else { return context.close(promise: nil) }
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.shutdownTimeout) { context.close(promise: nil) }
    }
}

/// The event by which the gateway tells a connection to end.
struct GatewayShutdown: Sendable {}
