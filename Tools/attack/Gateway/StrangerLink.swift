internal import Crypto
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink
internal import WhereaboutsPushLinkMessages

/// An unknown device: a fresh key, and a connection that sends any message.
final class StrangerLink: Sendable {
    private let channel: any Channel

    private init(_ channel: any Channel) {
        self.channel = channel
    }

    /// The address of a stranger: all of 127.0.0.0/8 is this machine, and limits by address count them separately.
    static func address(_ number: Int) -> String { "127.0.\(1 + number / 250).\(2 + number % 250)" }

    /// Connects, and proves a fresh key.
    ///
    /// - Parameters:
    ///   - port: the gateway's port for devices.
    ///   - address: the address to come from.
    ///   - reads: whether the link reads after the welcome.
    /// - Returns: the link, welcomed.
    /// - Throws: if the gateway does not accept the link.
    static func open(port: Int, from address: String, reads: Bool = true) async throws -> StrangerLink {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateVerification = .none
        let context = try NIOSSLContext(configuration: tls)
        let eventLoop = Strangers.group.next()
        let welcomed = eventLoop.makePromise(of: Void.self)
        do {
            let channel = try await ClientBootstrap(group: eventLoop)
                .connectTimeout(.seconds(5))
                .bind(to: SocketAddress(ipAddress: address, port: 0))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                        try pipeline.addHandler(
                            ByteToMessageHandler(PushLinkFrameDecoder<PushLinkGatewayFrame>())
                        )
                        try pipeline.addHandler(Handler(welcomed: welcomed, reads: reads))
                    }
                }
                .connect(host: "127.0.0.1", port: port).get()
            let late = eventLoop.scheduleTask(in: .seconds(5)) {
                welcomed.fail(ChannelError.connectTimeout(.seconds(5)))
            }
            defer { late.cancel() }
            do {
                try await welcomed.futureResult.get()
            } catch {
                channel.close(promise: nil)
                throw error
            }
            return StrangerLink(channel)
        } catch {
            welcomed.fail(error)
            throw error
        }
    }

    /// Whether the gateway has not closed the connection.
    var isOpen: Bool { self.channel.isActive }

    /// Sends messages, all at once; waits while the gateway does not read, up to the bounds.
    ///
    /// - Returns: whether the messages could be sent.
    func say(_ messages: [DeviceMessage], _ bounds: Bounds) async throws -> Bool {
        while !self.channel.isWritable, self.channel.isActive, !bounds.isOver {
            try await Task.sleep(for: .milliseconds(1))
        }
        guard self.channel.isWritable, self.channel.isActive else { return false }
        var bytes = self.channel.allocator.buffer(capacity: messages.count * 16)
        for message in messages {
            var frame = try PushLinkFraming.frame(message.frame, allocator: self.channel.allocator)
            bytes.writeBuffer(&frame)
        }
        self.channel.writeAndFlush(bytes, promise: nil)
        return true
    }

    func close() {
        self.channel.close(promise: nil)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = PushLinkGatewayFrame

        private let welcomed: EventLoopPromise<Void>
        private let reads: Bool

        init(welcomed: EventLoopPromise<Void>, reads: Bool) {
            self.welcomed = welcomed
            self.reads = reads
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch GatewayMessage(Self.unwrapInboundIn(data)) {
            case .challenge(let nonce):
                let key = Curve25519.Signing.PrivateKey()
                guard let proof = try? LinkProof(signing: nonce, key: key),
                    let frame = try? PushLinkFraming.frame(
                        DeviceMessage.proof(proof).frame,
                        allocator: context.channel.allocator
                    )
                else { return context.close(promise: nil) }
                context.channel.writeAndFlush(frame, promise: nil)
            case .welcome:
                if !self.reads { try? context.channel.syncOptions?.setOption(.autoRead, value: false) }
                self.welcomed.succeed()
            case .goAway(let reason): self.welcomed.fail(GoneAway(reason: reason))
            case .registered, .unregistered, .push, .pong, nil: break
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.welcomed.fail(ChannelError.eof)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            self.welcomed.fail(error)
            context.close(promise: nil)
        }
    }

    /// The gateway's refusal.
    struct GoneAway: Error {
        let reason: String
    }
}
