public import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Serves the page of a registry over HTTP, at `/metrics`, and whether the process lives (`/health`) and serves
/// (`/ready`).
///
/// Without TLS and without a password: the address must be a loopback address. It holds few connections, each for a short time, so
/// that it takes nothing from the service beside it.
public struct MetricsListener: Sendable {
    /// The most connections at a time; more are closed at once.
    public static let connectionsMax = 16
    /// How long a connection may be silent.
    ///
    /// Source: our choice; Prometheus, which asks each minute, opens another one.
    public static let silenceMax = Duration.seconds(30)

    private let channel: any Channel

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - host: an address, of loopback.
    ///   - port: the port; 0 lets the system choose.
    ///   - registry: the numbers of the page.
    ///   - group: its event loops.
    ///   - isReady: whether the service accepts requests.
    /// - Throws: when the address cannot be listened on.
    public init(
        host: String,
        port: Int,
        registry: MetricsRegistry,
        group: any EventLoopGroup,
        isReady: @escaping @Sendable () -> Bool = { true }
    ) async throws {
        let limit = ConnectionCount(most: Self.connectionsMax)
        self.channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard limit.enter() else { return channel.close(promise: nil) }
                    channel.closeFuture.whenComplete { _ in limit.leave() }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: TimeAmount(Self.silenceMax)))
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(MetricsHandler(registry: registry, isReady: isReady))
                }
            }
            .bind(host: host, port: port).get()
    }

    /// The port, which the system chose if it was 0.
    public var port: Int? { self.channel.localAddress?.port }

    /// Stops to listen.
    public func close() async throws {
        try await self.channel.close()
    }
}
