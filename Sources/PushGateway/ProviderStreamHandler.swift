internal import APNS
internal import FoundationEssentials
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import PushEngine
internal import Vocabulary

/// One request of a provider.
///
/// ```
///   ┌──────────┐ HEADERS  ┌─────────┐ END_STREAM or too much  ┌──────────┐ reply  ┌──────────┐
///   │ awaiting │ ───────▶ │ reading │ ──────────────────────▶ │ deciding │ ─────▶ │ answered │
///   └──────────┘          └─────────┘                         └──────────┘        └──────────┘
/// ```
///
/// Works on frames and not on HTTP/1 messages, for two reasons that clients depend on: `:authority` may be absent
/// (Apple's own sample sends none), and a response ends on its last frame, HEADERS for 200 and the one DATA for errors,
/// never on an empty DATA after it.
final class ProviderStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    /// Where the request is in the diagram above.
    private enum State {
        /// The stream is open; nothing of the request came yet.
        case awaiting
        /// The headers are there, and this much of the body.
        case reading(HPACKHeaders, body: ByteBuffer)
        /// The gateway has the request and owes the answer; more of the body is thrown away.
        case deciding
        /// The answer is written, and the client has yet to take it.
        case answered
    }

    /// How long a request may take to arrive, and how long its response may wait to be read.
    static let timeout = TimeAmount.seconds(30)
    /// How much of a body is thrown away after an early answer; then the stream is reset.
    static let discardedBytesMax = 256 * 1024

    private let connection: ProviderConnectionHandler
    private var state = State.awaiting
    private var discardedBytes = 0
    private var deadline: Scheduled<Void>?

    init(connection: ProviderConnectionHandler) {
        self.connection = connection
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.schedule(context) { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.deadline?.cancel()
        self.connection.streamClosed()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .headers(let frame): self.headersReceived(frame, context: context)
        case .data(let frame): self.dataReceived(frame, context: context)
        case .alternativeService, .goAway, .origin, .ping, .priority, .pushPromise, .rstStream, .settings,
            .windowUpdate:
            break  // Not for us: the HTTP/2 handler acts on them.
        }
    }

    private func headersReceived(_ frame: HTTP2Frame.FramePayload.Headers, context: ChannelHandlerContext) {
        switch self.state {
        case .awaiting:
            self.state = .reading(frame.headers, body: ByteBuffer())
            // The body of a stranger's request changes nothing in its answer, and is not kept.
            let isStranger = !self.connection.isVerified(frame.headers.first(name: HeaderName.authorization))
            if frame.endStream || isStranger {
                self.decide(frame.headers, body: .notAnObject(byteCount: 0), context: context)
            }
        case .reading(let headers, let body):
            // Trailers; they mean nothing here, but may end the request.
            if frame.endStream { self.decide(headers, body: Self.body(body), context: context) }
        case .deciding, .answered: break
        }
    }

    private func dataReceived(_ frame: HTTP2Frame.FramePayload.Data, context: ChannelHandlerContext) {
        guard case .byteBuffer(var bytes) = frame.data else { return }
        switch self.state {
        case .awaiting: break  // The HTTP/2 handler lets no DATA come before HEADERS.
        case .reading(let headers, var body):
            // One more byte than allowed is enough to know.
            guard body.readableBytes + bytes.readableBytes <= Limits.anyPayloadBytesMax else {
                return self.decide(headers, body: .overLimit, context: context)
            }
            body.writeBuffer(&bytes)
            self.state = .reading(headers, body: body)
            if frame.endStream { self.decide(headers, body: Self.body(body), context: context) }
        case .deciding, .answered:
            self.discardedBytes += bytes.readableBytes
            if self.discardedBytes > Self.discardedBytesMax { context.close(promise: nil) }
        }
    }

    private static func body(_ buffer: ByteBuffer) -> PushRequest.Body {
        struct Anything: Decodable {
            init(from decoder: any Decoder) throws {}
        }
        let bytes = Array(buffer.readableBytesView)
        let isObject = (try? JSONDecoder().decode([String: Anything].self, from: Data(bytes))) != nil
        return isObject ? .object(bytes) : .notAnObject(byteCount: bytes.count)
    }

    private func decide(_ headers: HPACKHeaders, body: PushRequest.Body, context: ChannelHandlerContext) {
        self.state = .deciding
        let request = PushRequest(
            method: headers.first(name: ":method") ?? "",
            path: headers.first(name: ":path") ?? "",
            headers: headers.compactMap { $0.name.hasPrefix(":") ? nil : PushRequest.Header($0.name, $0.value) },
            body: body
        )
        var random = SystemRandomNumberGenerator()
        let id = request.messageID ?? MessageID(using: &random).text
        let eventLoop = context.eventLoop
        let bound = NIOLoopBound((self, context), eventLoop: eventLoop)
        self.connection.handle(request) { result in
            eventLoop.execute {
                let (handler, context) = bound.value
                handler.answer(result, id: id, context: context)
            }
        }
    }

    private func answer(_ result: Result<Void, Rejection>, id: String, context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        self.state = .answered
        // A client that does not take its responses (a full window, a dead path) must not keep them here for ever.
        self.schedule(context) { context.channel.parent?.close(promise: nil) }
        switch result {
        case .success:
            self.write(status: 200, id: id, contentType: nil, endStream: true, context: context)
        case .failure(let rejection):
            self.write(
                status: rejection.reason.status,
                id: id,
                contentType: "application/json",
                endStream: false,
                context: context
            )
            let timestamp = rejection.timestamp.map { #","timestamp":\#($0.milliseconds)"# } ?? ""
            let body = ByteBuffer(string: #"{"reason":"\#(rejection.reason.rawValue)"\#(timestamp)}"#)
            context.write(Self.wrapOutboundOut(.data(.init(data: .byteBuffer(body), endStream: true))), promise: nil)
        }
        context.flush()
    }

    private func write(
        status: Int,
        id: String,
        contentType: String?,
        endStream: Bool,
        context: ChannelHandlerContext
    ) {
        var headers = HPACKHeaders()
        headers.add(name: ":status", value: String(status))
        headers.add(name: HeaderName.id, value: id, indexing: .nonIndexable)
        if let contentType { headers.add(name: "content-type", value: contentType) }
        let frame = HTTP2Frame.FramePayload.headers(.init(headers: headers, endStream: endStream))
        context.write(Self.wrapOutboundOut(frame), promise: nil)
    }

    private func schedule(_ context: ChannelHandlerContext, _ action: @escaping () -> Void) {
        self.deadline?.cancel()
        self.deadline = context.eventLoop.assumeIsolated().scheduleTask(in: Self.timeout, action)
    }
}
