internal import CoreMetrics
internal import Logging
package import NIOCore
internal import NIOHTTP1
package import NIOSSL
internal import WhereaboutsNetworkSupport

/// The port of a mock: APNs over HTTP/2 for providers, and the mock's own API over HTTP/1.1 without TLS.
package struct MockListener: Sendable {
    /// The maximum number of connections of a mock; as for the gateway's providers.
    private static let connectionsMax = 1000

    private let channel: any Channel
    private let connections: ConnectionRegistry

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: the address to listen on; with port 0 the system chooses one.
    ///   - mock: decides about requests.
    ///   - keys: the keys that may sign provider tokens; if empty, every key may.
    ///   - tls: the certificate, with its PEM for clients that request it; nil: providers use HTTP/2 without TLS.
    ///   - group: the event loops of all connections.
    /// - Throws: ``GatewayError`` naming the address and the remedy.
    package init(
        on address: ListenAddress,
        mock: MockHost,
        keys: [ProviderKey],
        tls: (context: NIOSSLContext, certificatePEM: String)?,
        group: any EventLoopGroup
    ) async throws {
        let metrics = GatewayMetrics(NOOPMetricsHandler.instance)
        let logger = Logger(label: "mock") { _ in SwiftLogNoOpLogHandler() }
        let connections = ConnectionRegistry(
            connectionsMax: Self.connectionsMax,
            metrics: metrics.providers,
            notes: ThrottledNotes(logger, now: { .onEventLoop() })
        )
        let keyring = ProviderKeyring(ofMock: keys)
        self.connections = connections
        self.channel = try await GatewayDoors.listen(on: address, group: group, connections) { channel, firstBytes in
            guard let protocolName = Opening(firstBytes, hasTLS: tls != nil) else {
                return channel.close(promise: nil)
            }
            let pipeline = channel.pipeline.syncOperations
            guard protocolName == .push else {
                try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                let handler = JSONRequestHandler { request in
                    try await MockRequests.answer(request, mock, certificatePEM: tls?.certificatePEM)
                }
                return try pipeline.addHandler(handler)
            }
            if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls.context)) }
            let provider = ProviderConnectionHandler(
                keyring: keyring,
                receiver: .mock(mock, connection: mock.connectionOpened()),
                connections: connections,
                metrics: metrics,
                isStrict: false,
                now: mock.now
            )
            try GatewayDoors.configureProvider(channel, provider)
            if tls == nil { provider.handshakeEnded() }
        }
    }

    /// The kind of a connection, determined by its first bytes.
    private enum Opening {
        /// A provider's.
        case push
        /// A request to the mock's own API.
        case question

        /// Nil: the provider uses TLS and the mock cleartext, or the reverse.
        init?(_ bytes: ByteBuffer, hasTLS: Bool) {
            // A TLS handshake record begins with 22; the preface of HTTP/2 with "PRI", as no HTTP method does.
            let isTLS = bytes.readableBytesView.first == 22
            let isHTTP2 = bytes.readableBytesView.starts(with: "PRI".utf8)
            guard isTLS || isHTTP2 else {
                self = .question
                return
            }
            guard isTLS == hasTLS else { return nil }
            self = .push
        }
    }

    /// The port, which the system may have chosen.
    package var port: Int { self.channel.localAddress?.port ?? 0 }

    /// Stops listening and closes all connections.
    package func close() async throws {
        try await self.channel.close()
        try await self.connections.closeAll()
    }
}
