internal import APNSClient
internal import Crypto
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import Testing

/// An HTTP/2 server that does to each request what the test says, counted over all connections.
final class FakeAPNS: Sendable {
    enum Action: Sendable {
        case accept
        case reject(status: Int, body: String)
        case refuse
        case goAway
        case hangUp
        case silence
    }

    private struct State {
        var actions: [Action]
        var requests = 0
        var connections = 0
    }

    private let state: Mutex<State>
    private let streamsMax: Int

    /// Does the actions in turn, and accepts every request after them.
    init(_ actions: [Action], streamsMax: Int = 100) {
        self.state = Mutex(State(actions: actions))
        self.streamsMax = streamsMax
    }

    /// The number of requests that came, on all connections.
    var requests: Int { self.state.withLock { $0.requests } }
    /// The number of connections that were opened.
    var connections: Int { self.state.withLock { $0.connections } }

    /// Does this to the next request.
    func doNext(_ action: Action) {
        self.state.withLock { $0.actions.insert(action, at: 0) }
    }

    /// Runs a client of this server.
    func withClient(
        _ rig: GatewayRig,
        timeout: Duration = .seconds(20),
        _ body: (APNSClient) async throws -> Void
    ) async throws {
        let channel = try await self.listen(rig)
        var configuration = APNSClient.Configuration(
            host: "localhost",
            port: try #require(channel.localAddress?.port),
            trustRootsPath: rig.path("ca.pem"),
            teamID: GatewayRig.teamID,
            keyID: GatewayRig.keyID,
            key: rig.key
        )
        configuration.timeout = timeout
        let client = try APNSClient(configuration: configuration, group: GatewayRig.group, logger: GatewayRig.logger)
        try await body(client)
        try await client.shutdown()
        try await channel.close()
    }

    private func listen(_ rig: GatewayRig) async throws -> any Channel {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(rig.path("tls.pem")).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: rig.path("tls.key"), format: .pem))
        )
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        return try await ServerBootstrap(group: GatewayRig.group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    self.state.withLock { $0.connections += 1 }
                    var http2 = NIOHTTP2Handler.ConnectionConfiguration()
                    http2.initialSettings = [HTTP2Setting(parameter: .maxConcurrentStreams, value: self.streamsMax)]
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    _ = try pipeline.configureHTTP2Pipeline(
                        mode: .server,
                        connectionConfiguration: http2,
                        streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(Handler(server: self))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private func nextAction() -> Action {
        self.state.withLock { state in
            state.requests += 1
            return state.actions.isEmpty ? .accept : state.actions.removeFirst()
        }
    }

    private final class Handler: ChannelInboundHandler, Sendable {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        private let server: FakeAPNS

        init(server: FakeAPNS) {
            self.server = server
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .data(let frame) = Self.unwrapInboundIn(data), frame.endStream else { return }
            switch self.server.nextAction() {
            case .accept: self.respond(status: 200, body: nil, context: context)
            case .reject(let status, let body): self.respond(status: status, body: body, context: context)
            case .refuse: context.writeAndFlush(Self.wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
            case .goAway:
                let frame = HTTP2Frame(
                    streamID: .rootStream,
                    payload: .goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil)
                )
                context.channel.parent?.writeAndFlush(frame, promise: nil)
            case .hangUp: context.channel.parent?.close(promise: nil)
            case .silence: break
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {}

        private func respond(status: Int, body: String?, context: ChannelHandlerContext) {
            let headers = HPACKHeaders([(":status", String(status)), ("apns-id", "ID")])
            context.write(
                Self.wrapOutboundOut(.headers(.init(headers: headers, endStream: body == nil))),
                promise: nil
            )
            if let body {
                let data = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: body)), endStream: true)
                context.write(Self.wrapOutboundOut(.data(data)), promise: nil)
            }
            context.flush()
        }
    }
}
