internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// A provider that sends any bytes and records every frame of the response.
final class RawProvider: Sendable {
    /// A frame of a stream, or of the connection, in a form that tests compare.
    enum Frame: Sendable, Equatable {
        case headers([String: String], endStream: Bool)
        case data(String, endStream: Bool)
        case closed
        /// The end of the connection, and the last processed stream.
        case goAway(String, last: Int)
        /// The number of streams that the provider may have at a time.
        case streamsMax(Int)
    }

    private final class Recorder: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTP2Frame.FramePayload

        private let events: Events<Frame>

        init(events: Events<Frame>) {
            self.events = events
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch Self.unwrapInboundIn(data) {
            case .headers(let frame):
                let pairs = frame.headers.map { ($0.name, $0.value) }
                self.events.record(.headers(Dictionary(pairs) { $0 + "," + $1 }, endStream: frame.endStream))
            case .data(let frame):
                guard case .byteBuffer(let bytes) = frame.data else { return }
                self.events.record(.data(String(buffer: bytes), endStream: frame.endStream))
            default: break
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.events.record(.closed)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    private final class ConnectionRecorder: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTP2Frame

        private let events: Events<Frame>

        init(events: Events<Frame>) {
            self.events = events
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch Self.unwrapInboundIn(data).payload {
            case .goAway(let last, _, let debug):
                self.events.record(.goAway(debug.map { String(buffer: $0) } ?? "", last: Int(last)))
            case .settings(.settings(let settings)):
                for setting in settings where setting.parameter == .maxConcurrentStreams {
                    self.events.record(.streamsMax(setting.value))
                }
            default: break
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}
    }

    /// The frames of the connection itself.
    let connection = Events<Frame>()
    private let channel: any Channel
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer

    /// Connects; `alpn` empty: prior knowledge, as some clients do.
    ///
    /// All of 127.0.0.0/8 is this machine.
    init(
        port: Int,
        trustRootsPath: String,
        alpn: [String] = ["h2"],
        from address: String = "127.0.0.1"
    ) async throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(trustRootsPath)
        tls.applicationProtocols = alpn
        let context = try NIOSSLContext(configuration: tls)
        let multiplexer = GatewayRig.group.next().makePromise(of: NIOHTTP2Handler.StreamMultiplexer.self)
        self.channel = try await ClientBootstrap(group: GatewayRig.group)
            .channelInitializer { [connection] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    var http2 = NIOHTTP2Handler.ConnectionConfiguration()
                    // The test sends frames that no client should send.
                    http2.headerBlockValidation = .disabled
                    http2.contentLengthValidation = .disabled
                    multiplexer.succeed(
                        try pipeline.configureHTTP2Pipeline(
                            mode: .client,
                            connectionConfiguration: http2,
                            streamConfiguration: .init()
                        ) { $0.close() }
                    )
                    try pipeline.addHandler(ConnectionRecorder(events: connection))
                }
            }
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .connect(host: "127.0.0.1", port: port).get()
        self.multiplexer = try await multiplexer.futureResult.get()
    }

    /// Sends a request and returns its response: all frames up to the end of the stream.
    func request(_ headers: [(String, String)], body: String?) async throws -> [Frame] {
        try await self.exchange(headers, body: body).frames
    }

    /// Sends a request and returns its stream and its response: all frames up to the end of the stream.
    func numberedRequest(
        _ headers: [(String, String)],
        body: String?
    ) async throws -> (stream: Int, frames: [Frame]) {
        let (stream, frames) = try await self.exchange(headers, body: body)
        return (try Int(stream.get()), frames)
    }

    /// The number belongs to a stream that was still open when it was requested.
    private func exchange(
        _ headers: [(String, String)],
        body: String?
    ) async throws -> (stream: Result<HTTP2StreamID, any Error>, frames: [Frame]) {
        let events = Events<Frame>()
        let stream = try await self.multiplexer.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(Recorder(events: events))
            }
        }.get()
        let block = HPACKHeaders(headers)
        stream.write(HTTP2Frame.FramePayload.headers(.init(headers: block, endStream: body == nil)), promise: nil)
        if let body {
            let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: body)), endStream: true)
            stream.write(HTTP2Frame.FramePayload.data(data), promise: nil)
        }
        stream.flush()
        let id: Result<HTTP2StreamID, any Error>
        do {
            id = .success(try await stream.getOption(HTTP2StreamChannelOptions.streamID).get())
        } catch {
            id = .failure(error)
        }
        var frames: [Frame] = []
        while frames.last != .closed { frames.append(try await events.next("the response") { _ in true }) }
        return (id, frames.dropLast())
    }

    func close() async throws {
        try await self.channel.close()
    }
}
