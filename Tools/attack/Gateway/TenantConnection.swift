internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// A provider's connection from an address of its choice.
final class TenantConnection: Sendable {
    /// The end of one exchange: whether the gateway answered.
    private final class Response: ChannelInboundHandler {
        typealias InboundIn = HTTP2Frame.FramePayload

        private let answered: EventLoopPromise<Bool>

        init(_ answered: EventLoopPromise<Bool>) {
            self.answered = answered
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard case .headers = Self.unwrapInboundIn(data) else { return }
            self.answered.succeed(true)
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.answered.succeed(false)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            self.answered.succeed(false)
            context.close(promise: nil)
        }
    }

    private let channel: any Channel
    private let multiplexer: NIOHTTP2Handler.StreamMultiplexer

    private init(_ channel: any Channel, _ multiplexer: NIOHTTP2Handler.StreamMultiplexer) {
        self.channel = channel
        self.multiplexer = multiplexer
    }

    /// Connects.
    static func open(port: Int, from address: String) async throws -> TenantConnection {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        tls.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: tls)
        let channel = try await ClientBootstrap(group: Strangers.group)
            .connectTimeout(.seconds(5))
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .connect(host: "127.0.0.1", port: port).get()
        let multiplexer = try await channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
            return try pipeline.configureHTTP2Pipeline(
                mode: .client,
                connectionConfiguration: .init(),
                streamConfiguration: .init()
            ) { $0.close() }
        }.get()
        return TenantConnection(channel, multiplexer)
    }

    /// Whether the gateway has not closed the connection.
    var isOpen: Bool { self.channel.isActive }

    /// Pushes to a device that does not exist.
    ///
    /// - Returns: whether the gateway answered.
    func push(topic: String, token: String) async -> Bool {
        let answered = self.channel.eventLoop.makePromise(of: Bool.self)
        let late = self.channel.eventLoop.scheduleTask(in: .seconds(5)) { answered.succeed(false) }
        defer { late.cancel() }
        let headers: HPACKHeaders = [
            ":method": "POST", ":scheme": "https", ":authority": "localhost",
            ":path": "/3/device/\(String(repeating: "00", count: 32))", "apns-topic": "\(topic).location-query",
            "apns-push-type": "location", "authorization": "bearer \(token)",
        ]
        let stream = try? await self.multiplexer.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture { try stream.pipeline.syncOperations.addHandler(Response(answered)) }
        }.get()
        guard let stream else {
            answered.succeed(false)
            return false
        }
        let body = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: #"{"aps":{}}"#)), endStream: true)
        stream.write(HTTP2Frame.FramePayload.headers(.init(headers: headers)), promise: nil)
        stream.writeAndFlush(HTTP2Frame.FramePayload.data(body), promise: nil)
        return (try? await answered.futureResult.get()) ?? false
    }

    func close() {
        self.channel.close(promise: nil)
    }
}
