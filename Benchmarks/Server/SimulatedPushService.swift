internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Rig

/// A push service on loopback that accepts each push and passes it on, without the queue of the gateway.
struct SimulatedPushService {
    struct Push: Sendable {
        /// The device token in hexadecimal digits.
        let token: String
        let payload: [UInt8]
    }

    /// The accepted pushes; one task reads them.
    let pushes: AsyncStream<Push>
    private let listener: any Channel

    init(_ workspace: Workspace) async throws {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(workspace.certificatePath).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: workspace.privateKeyPath, format: .pem))
        )
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let (pushes, continuation) = AsyncStream.makeStream(of: Push.self)
        self.pushes = pushes
        self.listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    _ = try pipeline.configureHTTP2Pipeline(
                        mode: .server,
                        connectionConfiguration: .init(),
                        streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(Reception(continuation))
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    var port: Int { self.listener.localAddress?.port ?? 0 }

    func stop() async throws { try await self.listener.close() }

    /// Accepts the push of one stream.
    private final class Reception: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload
        typealias OutboundOut = HTTP2Frame.FramePayload

        private let pushes: AsyncStream<Push>.Continuation
        private var token = ""
        private var payload: [UInt8] = []

        init(_ pushes: AsyncStream<Push>.Continuation) {
            self.pushes = pushes
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch Self.unwrapInboundIn(data) {
            case .headers(let frame):
                // The path is /3/device/ and the token.
                self.token = frame.headers.first(name: ":path")?.split(separator: "/").last.map(String.init) ?? ""
            case .data(let frame):
                if case .byteBuffer(let bytes) = frame.data { self.payload += bytes.readableBytesView }
                if frame.endStream { self.accept(context) }
            default: break
            }
        }

        private func accept(_ context: ChannelHandlerContext) {
            let headers: HPACKHeaders = [":status": "200", "apns-id": "EABEAE54-14A8-11E5-B60B-1697F925EC7B"]
            let answer = HTTP2Frame.FramePayload.headers(.init(headers: headers, endStream: true))
            context.writeAndFlush(Self.wrapOutboundOut(answer), promise: nil)
            self.pushes.yield(Push(token: self.token, payload: self.payload))
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
