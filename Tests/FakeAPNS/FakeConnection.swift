internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2

/// The handler before TLS that drops all incoming bytes of a server that no longer answers.
final class Ears: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    var areOpen = true

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if self.areOpen { context.fireChannelRead(data) }
    }
}

/// A connection of ``FakeAPNS``.
final class FakeConnection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private let number: Int
    private let server: FakeAPNS
    private let ears: Ears
    private var headers: [HTTP2StreamID: [String: String]] = [:]
    private var bodies: [HTTP2StreamID: ByteBuffer] = [:]

    init(number: Int, server: FakeAPNS, ears: Ears) {
        self.number = number
        self.server = server
        self.ears = ears
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers):
            let pairs = headers.headers.map { ($0.name, $0.value) }
            self.headers[frame.streamID] = Dictionary(pairs) { $0 + "," + $1 }
            if headers.endStream { self.requestEnded(frame.streamID, context) }
        case .data(let data):
            guard case .byteBuffer(var bytes) = data.data else { return }
            self.bodies[frame.streamID, default: ByteBuffer()].writeBuffer(&bytes)
            // Tests send less than a window in total.
            if data.endStream { self.requestEnded(frame.streamID, context) }
        default: break
        }
    }

    private func requestEnded(_ stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
        let request = FakeAPNS.Request(
            headers: self.headers.removeValue(forKey: stream) ?? [:],
            body: self.bodies.removeValue(forKey: stream).map { String(buffer: $0) } ?? "",
            connection: self.number
        )
        func write(_ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID) {
            context.write(Self.wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
        }
        func respond(_ status: Int, _ headers: [String: String], body: String?) {
            var fields = HPACKHeaders([(":status", String(status)), ("apns-id", "ID")])
            for (name, value) in headers { fields.add(name: name, value: value) }
            write(.headers(.init(headers: fields, endStream: body == nil)), on: stream)
            guard let body else { return }
            write(.data(.init(data: .byteBuffer(ByteBuffer(string: body)), endStream: true)), on: stream)
        }
        func goAway(_ last: HTTP2StreamID, _ reason: String?) {
            let data = reason.map { ByteBuffer(string: #"{"reason":"\#($0)"}"#) }
            write(.goAway(lastStreamID: last, errorCode: .noError, opaqueData: data), on: .rootStream)
        }
        switch self.server.nextAction(for: request) {
        case .accept(let headers): respond(200, headers, body: nil)
        case .reject(let status, let body, let headers): respond(status, headers, body: body)
        case .refuse: write(.rstStream(.refusedStream), on: stream)
        case .breakStream: write(.rstStream(.internalError), on: stream)
        case .goAway: goAway(HTTP2StreamID(max(0, Int(stream) - 2)), nil)
        case .acceptAndGoAway(let reason):
            respond(200, [:], body: nil)
            goAway(stream, reason)
        case .hangUp: context.close(promise: nil)
        case .silence: break
        case .deafness: self.ears.areOpen = false
        case .acceptWithStreams(let count):
            write(.settings(.settings([HTTP2Setting(parameter: .maxConcurrentStreams, value: count)])), on: .rootStream)
            respond(200, [:], body: nil)
        }
        context.flush()
    }

    /// Tests break HTTP/2 rules, and the client must notice.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
