internal import NIOCore
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// Opens connections; each resolves the host name again, as Apple asks.
struct Dialer {
    private let endpoint: Endpoint
    private let proxy: Proxy?
    private var tls: NIOSSLContext
    private let eventLoop: any EventLoop

    /// - Throws: ``APNSError`` when the trust roots or the certificate cannot be used.
    init(_ configuration: APNSClient.Configuration, _ credential: Credential, eventLoop: any EventLoop) throws {
        self.endpoint = configuration.endpoint
        self.proxy = configuration.proxy
        self.eventLoop = eventLoop
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2"]
        if let roots = configuration.trustRoots { tls.trustRoots = .certificates(try roots.certificates()) }
        do {
            // The system's authorities are read here.
            self.tls = try NIOSSLContext(configuration: tls)
        } catch {
            throw APNSError(
                .badConfiguration,
                "the trust roots cannot be used; give certificates of authorities as trustRoots",
                .changeConfiguration
            )
        }
        guard case .certificate(let certificate) = credential else { return }
        tls.certificateChain = certificate.chain.map { .certificate($0) }
        tls.privateKey = .privateKey(certificate.key)
        do {
            self.tls = try NIOSSLContext(configuration: tls)
        } catch {
            throw APNSError(
                .badConfiguration,
                "the certificate for \(certificate.app): its key belongs to another certificate; give the key "
                    + "that it was requested with",
                .changeConfiguration
            )
        }
    }

    /// Opens a connection, on this event loop.
    ///
    /// - Parameters:
    ///   - connection: the handler of its frames.
    ///   - timeout: the time limit for TCP.
    /// - Returns: the channel, before TLS.
    func dial(_ connection: SenderConnection, timeout: TimeAmount) -> EventLoopFuture<any Channel>.Isolated {
        let opened = self.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, connection), eventLoop: self.eventLoop)
        let address = self.proxy.map { ($0.host, $0.port) } ?? (self.endpoint.host, self.endpoint.port)
        let connected = ClientBootstrap(group: self.eventLoop)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let (dialer, connection) = bound.value
                    guard let proxy = dialer.proxy else { return try dialer.addHandlers(to: channel, connection) }
                    let tunnel = ProxyTunnelHandler(to: dialer.endpoint, through: proxy, opened: opened) { channel in
                        try dialer.addHandlers(to: channel, connection)
                    }
                    try channel.pipeline.syncOperations.addHandler(tunnel)
                }
            }
            .connect(host: address.0, port: address.1)
        connected.whenFailure { opened.fail($0) }
        if self.proxy == nil { connected.whenSuccess { _ in opened.succeed() } }
        return connected.and(opened.futureResult).map(\.0).assumeIsolated()
    }

    private func addHandlers(to channel: any Channel, _ connection: SenderConnection) throws {
        let pipeline = channel.pipeline.syncOperations
        // If the host is an IP address, send no SNI: the certificate is verified for the address.
        let host = self.endpoint.host
        let name = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
        try pipeline.addHandler(NIOSSLClientHandler(context: self.tls, serverHostname: name))
        var http2 = NIOHTTP2Handler.ConnectionConfiguration()
        // Disable server push. The server may change its limits and refuse streams as often as it needs to.
        http2.initialSettings = [HTTP2Setting(parameter: .enablePush, value: 0)]
        http2.controlFrameRateLimit.maximumCount = 10_000
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.streamResetFrameRateLimit.maximumCount = 10_000
        try pipeline.addHandler(
            NIOHTTP2Handler(mode: .client, connectionConfiguration: http2, streamConfiguration: streams)
        )
        try pipeline.addHandler(connection)
    }
}
