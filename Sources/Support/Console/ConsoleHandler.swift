internal import NIOCore
internal import NIOHTTP1

/// Answers one request on each connection of a console.
final class ConsoleHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// How often to write a comment into a stream without events.
    ///
    /// If the page was closed, this write fails and ends the stream.
    private static let heartbeat = Duration.seconds(10)

    private let server: ConsoleServer
    /// nil before the first request.
    private var decision: ConsoleGate.Decision?
    private var isAnswered = false
    private var body = ByteBuffer()

    init(_ server: ConsoleServer) {
        self.server = server
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Ignore a second request on the connection: its response would begin inside the first one.
        guard !self.isAnswered else { return }
        switch Self.unwrapInboundIn(data) {
        case .head(let head): self.decision = self.server.decide(head)
        case .body(var bytes):
            guard self.body.readableBytes + bytes.readableBytes <= ConsoleServer.bodyBytesMax else {
                self.decision = .refuse(ConsoleGate.Refusal(413, "An order has at most 64 KiB."))
                return
            }
            self.body.writeBuffer(&bytes)
        case .end:
            guard let decision = self.decision else { return }
            self.isAnswered = true
            self.answer(decision, context)
        }
    }

    private func answer(_ decision: ConsoleGate.Decision, _ context: ChannelHandlerContext) {
        switch decision {
        case .admit(let folder, let cookie):
            self.write(.seeOther, "", [("location", folder), ("set-cookie", cookie)], context)
        case .page:
            var generator = SystemRandomNumberGenerator()
            let nonce =
                String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
                + String(UInt64.random(in: .min ... .max, using: &generator), radix: 36)
            let fields = [
                ("content-type", "text/html; charset=utf-8"),
                ("content-security-policy", ConsolePage.policy(nonce: nonce)),
            ]
            self.write(.ok, self.server.site.page.html(nonce: nonce), fields, context)
        case .events(let query): self.stream(query, context)
        case .act(let action): self.act(action, context)
        case .refuse(let refusal): self.refuse(refusal, context)
        }
    }

    private func refuse(_ refusal: ConsoleGate.Refusal, _ context: ChannelHandlerContext) {
        let fields = [("content-type", "text/plain; charset=utf-8")]
        self.write(HTTPResponseStatus(statusCode: refusal.status), refusal.words + "\n", fields, context)
    }

    private func act(_ action: String, _ context: ChannelHandlerContext) {
        let (site, body) = (self.server.site, String(buffer: self.body))
        let acted = context.eventLoop.makeFutureWithTask { try await site.act(action, body) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        acted.whenComplete { result in
            let (handler, context) = bound.value
            switch result {
            case .success(let reply): handler.write(.ok, reply, [("content-type", "application/json")], context)
            case .failure(let error): handler.refuse(ConsoleGate.Refusal(409, "\(error)"), context)
            }
        }
    }

    // MARK: Events

    private func stream(_ query: String, _ context: ChannelHandlerContext) {
        guard self.server.streamBegins() else {
            let words = "The console is already open in \(ConsoleServer.streamsMax) pages. Close one of them."
            return self.refuse(ConsoleGate.Refusal(503, words), context)
        }
        let head = HTTPResponseHead(
            version: .http1_1,
            status: .ok,
            headers: Self.headers([("content-type", "text/event-stream")])
        )
        context.writeAndFlush(Self.wrapOutboundOut(.head(head)), promise: nil)
        let (server, channel, loop) = (self.server, context.channel, context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: loop)
        // Wait until the kernel has accepted the bytes, so that at most one batch is in memory for a page that does not read.
        let write: @Sendable (String) async throws -> Void = { text in
            try await loop.flatSubmit {
                bound.value.writeAndFlush(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))))
            }.get()
        }
        _ = loop.makeFutureWithTask { await Self.send(server, query, to: channel, write) }
    }

    /// Sends events until the connection ends.
    private static func send(
        _ server: ConsoleServer,
        _ query: String,
        to channel: any Channel,
        _ write: @Sendable (String) async throws -> Void
    ) async {
        let feed = server.site.feed(query)
        var written = ContinuousClock.now
        while channel.isActive {
            let events = await feed.next()
            let now = ContinuousClock.now
            guard !events.isEmpty || written.duration(to: now) >= Self.heartbeat else { continue }
            written = now
            do {
                try await write(events.isEmpty ? ":\n\n" : events.map(\.text).joined())
            } catch {
                break
            }
        }
        server.streamEnded()
    }

    // MARK: Replies

    private func write(
        _ status: HTTPResponseStatus,
        _ text: String,
        _ fields: [(String, String)],
        _ context: ChannelHandlerContext
    ) {
        var headers = Self.headers(fields)
        headers.add(name: "content-length", value: "\(text.utf8.count)")
        headers.add(name: "connection", value: "close")
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(head)), promise: nil)
        context.write(Self.wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in bound.value.close(promise: nil) }
    }

    private static func headers(_ fields: [(String, String)]) -> HTTPHeaders {
        let all = [
            ("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin"),
        ]
        var headers = HTTPHeaders(all + fields)
        if !headers.contains(name: "content-security-policy") {
            headers.add(name: "content-security-policy", value: "default-src 'none'; frame-ancestors 'none'")
        }
        return headers
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
