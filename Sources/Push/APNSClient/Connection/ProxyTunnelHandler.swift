internal import NIOCore
internal import WhereaboutsNetworkSupport

/// Asks a proxy to connect to the server, then removes itself.
final class ProxyTunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The maximum number of bytes of the proxy's answer; real ones have about a hundred.
    private static let answerBytesMax = 8192

    private let request: String
    private let addHandlers: (any Channel) throws -> Void
    private let opened: EventLoopPromise<Void>
    private var answer = ByteBuffer()
    private var isAsked = false

    /// - Parameters:
    ///   - target: the server.
    ///   - proxy: for its credentials.
    ///   - opened: succeeds when the proxy has connected, fails with the reason.
    ///   - addHandlers: adds the handlers of the connection.
    init(
        to target: Endpoint,
        through proxy: Proxy,
        opened: EventLoopPromise<Void>,
        addHandlers: @escaping (any Channel) throws -> Void
    ) {
        let host = target.host.contains(":") ? "[\(target.host)]" : target.host
        let authority = "\(host):\(target.port)"
        let credentials = proxy.authorization.map { "proxy-authorization: \($0)\r\n" } ?? ""
        self.request = "CONNECT \(authority) HTTP/1.1\r\nhost: \(authority)\r\n\(credentials)\r\n"
        self.opened = opened
        self.addHandlers = addHandlers
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { self.ask(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        self.ask(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        // This has no effect if the tunnel was opened.
        self.opened.fail(ConnectionFailure.broken)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.fail(error, context)
    }

    private func ask(_ context: ChannelHandlerContext) {
        guard !self.isAsked else { return }
        self.isAsked = true
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(string: self.request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = Self.unwrapInboundIn(data)
        self.answer.writeBuffer(&bytes)
        guard let end = self.answer.readableBytesView.firstRange(of: Array("\r\n\r\n".utf8)) else {
            if self.answer.readableBytes > Self.answerBytesMax { self.fail(ConnectionFailure.broken, context) }
            return
        }
        // `HTTP/1.1 200 Connection established`
        let words = String(buffer: self.answer).split(separator: " ", maxSplits: 2)
        let status = words.count > 1 && words[0].hasPrefix("HTTP/1.") ? Int(words[1]) ?? 0 : 0
        guard (200..<300).contains(status) else { return self.fail(ConnectionFailure.refusedByProxy(status), context) }
        self.answer.moveReaderIndex(to: end.upperBound)
        do {
            try self.addHandlers(context.channel)
        } catch {
            return self.fail(error, context)
        }
        if self.answer.readableBytes > 0 { context.fireChannelRead(Self.wrapInboundOut(self.answer)) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
        self.opened.succeed()
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        self.opened.fail(error)
        context.close(promise: nil)
    }
}
