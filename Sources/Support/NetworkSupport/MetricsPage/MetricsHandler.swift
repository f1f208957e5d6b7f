internal import NIOCore
internal import NIOHTTP1

/// Answers `GET` and `HEAD` of `/metrics`, `/health` and `/ready` with any query, and everything else with 404.
final class MetricsHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let registry: MetricsRegistry
    private let isReady: @Sendable () -> Bool
    private var head: HTTPRequestHead?

    init(registry: MetricsRegistry, isReady: @escaping @Sendable () -> Bool) {
        self.registry = registry
        self.isReady = isReady
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head = self.head else { return }
            self.head = nil
            self.answer(head, context: context)
        }
    }

    private func answer(_ head: HTTPRequestHead, context: ChannelHandlerContext) {
        let isHead = head.method == .HEAD
        let path = head.uri.prefix { $0 != "?" }
        let (status, text) = self.answer(to: isHead || head.method == .GET ? path : "")
        let body = ByteBuffer(string: text)
        let headers: HTTPHeaders = [
            "content-type": "text/plain; version=0.0.4; charset=utf-8", "content-length": "\(body.readableBytes)",
        ]
        let response = HTTPResponseHead(version: head.version, status: status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(response)), promise: nil)
        // Send no body for `HEAD`: the client would read it as the next response.
        if !isHead { context.write(Self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        let isKept = head.isKeepAlive
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in
            if !isKept { bound.value.close(promise: nil) }
        }
    }

    private func answer(to path: Substring) -> (HTTPResponseStatus, String) {
        switch path {
        case "/metrics": (.ok, self.registry.page)
        // Any response shows that the process runs.
        case "/health": (.ok, "well\n")
        case "/ready": self.isReady() ? (.ok, "ready\n") : (.serviceUnavailable, "not ready\n")
        default: (.notFound, "this port serves /metrics, /health and /ready\n")
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
