internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink
internal import WhereaboutsPushLinkMessages
internal import WhereaboutsVocabulary

/// The two listeners of a gateway, and the handlers of each accepted connection.
struct GatewayDoors {
    let configuration: PushGateway.Configuration
    let certificate: ServerCertificate
    let group: any EventLoopGroup
    let keyring: ProviderKeyring
    let host: GatewayHost
    let notes: ThrottledNotes
    let metrics: GatewayMetrics
    let now: @Sendable () -> WallTime

    /// Listens for providers, which use HTTP/2.
    ///
    /// - Throws: ``GatewayError`` naming the address and the remedy.
    func listenToProviders(_ connections: ConnectionRegistry) async throws -> any Channel {
        let (keyring, host, metrics, now) = (self.keyring, self.host, self.metrics, self.now)
        let isStrict = self.configuration.isStrict
        // Offer HTTP/2 to clients that negotiate. Pushy and aioapns use HTTP/2 without negotiation.
        let tls = try ServerCertificate.Listener(self.certificate, protocols: ["h2"])
        let address = self.configuration.providerAddress
        return try await Self.listen(on: address, group: self.group, connections) { channel, _ in
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.context))
            let connection = ProviderConnectionHandler(
                keyring: keyring,
                receiver: .gateway(host),
                connections: connections,
                metrics: metrics,
                isStrict: isStrict,
                now: now
            )
            try Self.configureProvider(channel, connection)
        }
    }

    /// Listens for devices, which use the push link.
    ///
    /// - Throws: ``GatewayError`` naming the address and the remedy.
    func listenToDevices(_ connections: ConnectionRegistry) async throws -> any Channel {
        let (host, notes, metrics, link) = (self.host, self.notes, self.metrics, self.configuration.link)
        let tls = try ServerCertificate.Listener(self.certificate)
        let linkIDs = Mutex<UInt64>(0)
        return try await Self.listen(
            on: self.configuration.deviceAddress,
            group: self.group,
            allocator: .wholePages,
            connections
        ) { channel, _ in
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls.context))
            let id = linkIDs.withLock { id in
                id += 1
                return id
            }
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(ByteToMessageHandler(PushLinkFrameDecoder<PushLinkDeviceFrame>()))
            try pipeline.addHandler(
                DeviceLinkHandler(
                    id: LinkID(id),
                    from: AddressBlock(channel.remoteAddress),
                    host: host,
                    configuration: link,
                    connections: connections,
                    notes: notes,
                    metrics: metrics
                )
            )
        }
    }

    /// Listens, and adds the handlers of each connection when its first bytes arrive.
    ///
    /// - Throws: ``GatewayError`` naming the address and the remedy.
    static func listen(
        on address: ListenAddress,
        group: any EventLoopGroup,
        allocator: ByteBufferAllocator = ByteBufferAllocator(),
        _ connections: ConnectionRegistry,
        configure: @escaping @Sendable (any Channel, ByteBuffer) throws -> Void
    ) async throws -> any Channel {
        do {
            return try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 256)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.allocator, value: allocator)
                .childChannelOption(.writeBufferWaterMark, value: Self.writeBuffer)
                .childChannelOption(.recvAllocator, value: Self.readBuffer)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard connections.add(channel) else { return channel.close(promise: nil) }
                        let firstByte = FirstByteHandler(
                            gaveUp: { connections.handshakeFailed(.silent) },
                            configure: configure
                        )
                        try channel.pipeline.syncOperations.addHandler(firstByte)
                    }
                }
                .bind(host: address.host, port: address.port).get()
        } catch {
            throw GatewayError(.cannotListen, "\(ListeningFailure("\(address)", error))")
        }
    }

    /// The maximum number of bytes that may wait for a peer to read: twice the payloads that can be stored for a device.
    ///
    /// With a smaller limit, each delivery could end the link of a device with many topics.
    private static let writeBuffer = ChannelOptions.Types.WriteBufferWaterMark(
        low: TokenDecision.topicsMax * Limits.anyPayloadBytesMax,
        high: 2 * TokenDecision.topicsMax * Limits.anyPayloadBytesMax
    )
    /// A connection keeps its first buffer; NIO's default of 2 KiB is too much for a device that sends a hundred bytes a day.
    private static let readBuffer = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536)

    /// The maximum number of control frames, including pings, of a provider in 30 s.
    ///
    /// Source: our choice; a client that pings every 10 ms does no harm.
    private static let controlFramesMax = 4000
    /// The maximum number of streams that a provider may reset in 30 s; strangers have a separate limit.
    ///
    /// Source: our choice; a client with ``ProviderConnection/streamsMax`` requests in progress may cancel all of them, twice.
    private static let resetsMax = 2000

    /// Adds the handlers of a provider's connection after TLS.
    static func configureProvider(_ channel: any Channel, _ connection: ProviderConnectionHandler) throws {
        var http2 = NIOHTTP2Handler.ConnectionConfiguration()
        // Do not announce the limit of 8,000 bytes: NIO would then end the whole connection instead of the stream that exceeds it.
        http2.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: ProviderConnection.strangerStreamsMax)
        ]
        // The next handler validates header blocks, and answers requests that NIO would reset.
        http2.headerBlockValidation = .disabled
        http2.controlFrameRateLimit.maximumCount = Self.controlFramesMax
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.streamResetFrameRateLimit.maximumCount = Self.resetsMax
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(IdleStateHandler(readTimeout: TimeAmount(ProviderConnection.silenceMax)))
        try pipeline.addHandler(FrameAccountHandler())
        try pipeline.addHandler(GoAwayHandler())
        try pipeline.addHandler(
            NIOHTTP2Handler(mode: .server, connectionConfiguration: http2, streamConfiguration: streams)
        )
        try pipeline.addHandler(connection)
    }
}
