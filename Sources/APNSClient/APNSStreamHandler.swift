internal import APNS
internal import FoundationEssentials
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// Reads the response of one request.
final class APNSStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload

    /// How a request ended.
    enum Outcome: Sendable {
        case answered(Result<APNSClient.Response, APNSError>)
        /// The server reset the stream, or the connection ended; `isRefused`: it certainly did not act on it.
        case failed(any Error, isRefused: Bool)
    }

    private struct Body: Decodable {
        let reason: String
        let timestamp: Int64?
    }

    /// The most bytes of an error body; real ones have under 100.
    private static let bodyBytesMax = 4096

    private var headers: HPACKHeaders?
    private var body = ByteBuffer()
    private var outcome: EventLoopPromise<Outcome>?

    init(outcome: EventLoopPromise<Outcome>) {
        self.outcome = outcome
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .headers(let frame):
            // Informational responses come before the real one, trailers after it.
            if frame.headers.first(name: ":status").map({ !$0.hasPrefix("1") }) ?? false {
                self.headers = frame.headers
            }
            if frame.endStream { self.answered() }
        case .data(let frame):
            guard case .byteBuffer(var bytes) = frame.data else { return }
            guard self.body.readableBytes + bytes.readableBytes <= Self.bodyBytesMax else {
                return self.end(.answered(.failure(Self.unexpected("a body of more than \(Self.bodyBytesMax) bytes"))))
            }
            self.body.writeBuffer(&bytes)
            if frame.endStream { self.answered() }
        case .alternativeService, .goAway, .origin, .ping, .priority, .pushPromise, .rstStream, .settings,
            .windowUpdate:
            break  // The HTTP/2 handler acts on them.
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end(.failed(ChannelError.eof, isRefused: false))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let code = (error as? NIOHTTP2Errors.StreamClosed)?.errorCode
        self.end(.failed(error, isRefused: code == .refusedStream))
        context.close(promise: nil)
    }

    private func end(_ outcome: Outcome) {
        self.outcome?.succeed(outcome)
        self.outcome = nil
    }

    private func answered() {
        guard let headers, let status = headers.first(name: ":status") else {
            return self.end(.answered(.failure(Self.unexpected("no status"))))
        }
        if status == "200" {
            let id = headers.first(name: HeaderName.id)
            return self.end(.answered(.success(APNSClient.Response(apnsID: id))))
        }
        let body = try? JSONDecoder().decode(Body.self, from: Data(self.body.readableBytesView))
        guard let body, let reason = Reason(rawValue: body.reason) else {
            return self.end(.answered(.failure(Self.unexpected("status \(status) without a known reason"))))
        }
        let error = APNSError(
            .rejected,
            "the push was rejected: \(status) \(reason.rawValue)",
            reason: reason,
            unregisteredAt: body.timestamp
        )
        self.end(.answered(.failure(error)))
    }

    private static func unexpected(_ what: String) -> APNSError {
        APNSError(.unexpectedResponse, "the server answered with \(what); is it an APNs server?")
    }
}
