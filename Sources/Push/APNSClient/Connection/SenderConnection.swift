internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOSSL
internal import WhereaboutsAPNS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine

/// One HTTP/2 connection: turns pushes into frames, and frames into events for ``SenderCore``.
///
/// It handles the frames of all streams without a channel for each, like the gateway (ADR 0010).
final class SenderConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The maximum number of bytes of an error's body; real ones have under 100.
    private static let bodyBytesMax = 4096
    /// The maximum number of bytes of an answer about channels: a list of 10,000, which an app may have, with 100 bytes each.
    private static let listBytesMax = 1 << 20
    /// The window that the server has for error bodies (RFC 9113, 6.9.2); half of it is given back at a time.
    private static let windowBytes = 65_535

    /// A response whose HEADERS arrived, but not its end.
    private struct Response {
        var headers: HPACKHeaders
        var body = ByteBuffer()
    }

    /// The number of the connection in the pool.
    let id: Int
    private let core: SenderCore
    private var context: ChannelHandlerContext?
    private var responses: [Int32: Response] = [:]
    /// The streams whose answers may have more than a stream's window.
    private var listStreams: Set<Int32> = []
    private var hasSettings = false
    private var isFirst = true
    private var isFlushDue = false
    private var isAbandoned = false
    private var freeBytes = 0
    /// The first error, which is more specific than the end that it causes.
    private(set) var failure: ConnectionFailure?

    init(id: Int, core: SenderCore) {
        self.id = id
        self.core = core
    }

    // MARK: Called by the core.

    func send(_ request: PreparedRequest, token: String?, stream: Int32) {
        var headers = self.isFirst ? request.firstHeaders : request.headers
        self.isFirst = false
        if let token { headers.add(name: HeaderName.authorization, value: token, indexing: .nonIndexable) }
        let id = HTTP2StreamID(Int(stream))
        guard let body = request.body else {
            self.listStreams.insert(stream)
            return self.write(.headers(.init(headers: headers, endStream: true)), on: id)
        }
        self.write(.headers(.init(headers: headers)), on: id)
        self.write(.data(.init(data: .byteBuffer(body), endStream: true)), on: id)
    }

    func reset(_ stream: Int32) {
        self.responses[stream] = nil
        self.listStreams.remove(stream)
        self.write(.rstStream(.cancel), on: HTTP2StreamID(Int(stream)))
    }

    func ping() {
        self.write(.ping(HTTP2PingData(withInteger: UInt64(self.id)), ack: false), on: .rootStream)
    }

    func flush() {
        guard self.isFlushDue else { return }
        self.isFlushDue = false
        self.context?.flush()
    }

    /// Closes the connection, or requests this if it is not open yet.
    ///
    /// - Returns: whether its end will be reported.
    func close() -> Bool {
        self.isAbandoned = true
        guard let context = self.context else { return false }
        self.write(.goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil), on: .rootStream)
        context.flush()
        context.close(promise: nil)
        return true
    }

    private func write(_ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID) {
        self.isFlushDue = true
        self.context?.write(Self.wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
    }

    // MARK: The channel.

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if self.isAbandoned { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.core.connectionEnded(self, self.failure ?? .broken)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An error of one stream concerns only that stream, which was reset. Any other error concerns the connection.
        if StreamErrors.contains(error) { return }
        if self.failure == nil { self.failure = self.reason(of: error) }
        // A server that closed TLS has ended the connection, too.
        context.close(promise: nil)
    }

    private func reason(of error: any Error) -> ConnectionFailure {
        let failure = ConnectionFailure(error)
        if case .other = failure, !self.hasSettings, !(error is NIOSSLError) { return .notHTTP2 }
        return failure
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A stream without a reason ended with its answer.
        if let closed = event as? StreamClosedEvent, let reason = closed.reason {
            let stream = Int32(Int(closed.streamID))
            self.responses[stream] = nil
            self.listStreams.remove(stream)
            self.core.feed(
                .streamEnded(connection: self.id, stream: stream, isRefused: reason == .refusedStream)
            )
            self.core.settle()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        let stream = Int32(Int(frame.streamID))
        switch frame.payload {
        case .headers(let headers): self.headersReceived(headers, stream)
        case .data(let data): self.dataReceived(data, stream)
        case .settings(.settings(let settings)):
            self.hasSettings = true
            let streamsMax = settings.last { $0.parameter == .maxConcurrentStreams }?.value
            self.core.feed(.settingsReceived(connection: self.id, streamsMax: streamsMax))
        case .goAway(let last, _, let data):
            let reason = data.flatMap { ErrorBody($0) }?.reason
            self.core.feed(.goAwayReceived(connection: self.id, lastStream: Int32(Int(last)), reason))
        case .settings(.ack), .alternativeService, .origin, .ping, .priority, .pushPromise, .rstStream, .windowUpdate:
            self.core.feed(.heard(connection: self.id))
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if 2 * self.freeBytes >= Self.windowBytes {
            self.write(.windowUpdate(windowSizeIncrement: self.freeBytes), on: .rootStream)
            self.freeBytes = 0
        }
        self.core.settle()
        self.flush()
        context.fireChannelReadComplete()
    }

    // MARK: Responses.

    private func headersReceived(_ frame: HTTP2Frame.FramePayload.Headers, _ stream: Int32) {
        if self.responses[stream] == nil {
            // Informational responses precede the final one.
            let status = frame.headers.first(name: ":status")
            if status?.hasPrefix("1") ?? false { return }
            if frame.endStream { return self.answered(Response(headers: frame.headers), stream) }
            self.responses[stream] = Response(headers: frame.headers)
        } else if frame.endStream, let response = self.responses.removeValue(forKey: stream) {
            // Trailers.
            self.answered(response, stream)
        }
    }

    private func dataReceived(_ frame: HTTP2Frame.FramePayload.Data, _ stream: Int32) {
        guard case .byteBuffer(var bytes) = frame.data else { return }
        let windowBytes = bytes.readableBytes + (frame.paddingBytes.map { $0 + 1 } ?? 0)
        self.freeBytes += windowBytes
        guard var response = self.responses.removeValue(forKey: stream) else { return }
        response.body.writeBuffer(&bytes)
        let isList = self.listStreams.contains(stream)
        if response.body.readableBytes > (isList ? Self.listBytesMax : Self.bodyBytesMax) {
            self.write(.rstStream(.cancel), on: HTTP2StreamID(Int(stream)))
            return self.answered(Response(headers: response.headers), stream)
        }
        if frame.endStream { return self.answered(response, stream) }
        if isList, windowBytes > 0 {
            self.write(.windowUpdate(windowSizeIncrement: windowBytes), on: HTTP2StreamID(Int(stream)))
        }
        self.responses[stream] = response
    }

    private func answered(_ response: Response, _ stream: Int32) {
        self.listStreams.remove(stream)
        let status = response.headers.first(name: ":status").flatMap { Int($0) }
        let verdict: PushVerdict
        // Channels are created with 201 and deleted with 204.
        if let status, [200, 201, 204].contains(status) {
            let headers = response.headers
            verdict = .accepted(
                PushVerdict.Acceptance(
                    status: status,
                    id: headers.first(name: HeaderName.id) ?? headers.first(name: HeaderName.requestID),
                    uniqueID: headers.first(name: "apns-unique-id"),
                    channelID: headers.first(name: HeaderName.channelID),
                    body: Array(response.body.readableBytesView)
                )
            )
        } else if let body = ErrorBody(response.body), let reason = body.reason {
            let word = response.headers.first(name: HeaderName.relay).map { RelayWord(header: $0) }
            verdict = .rejected(reason, timestamp: body.timestamp, relay: word)
        } else {
            verdict = .unreadable(status: status)
        }
        self.core.feed(.answered(connection: self.id, stream: stream, verdict))
    }
}
