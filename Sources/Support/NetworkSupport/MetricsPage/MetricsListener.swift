public import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// Serves the page of a registry over HTTP at `/metrics`, and whether the process runs (`/health`) and accepts requests
/// (`/ready`).
///
/// It uses neither TLS nor a password, so the address must be a loopback address. It allows few connections, each for a
/// short time, to leave resources for the actual service.
public struct MetricsListener: Sendable {
    /// The maximum number of connections at a time; further ones are closed at once.
    public static let connectionsMax = 16
    /// The longest silence of a connection.
    ///
    /// Source: our choice; Prometheus, which asks each minute, connects again.
    public static let silenceMax = Duration.seconds(30)

    private let channel: any Channel

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - host: a loopback address.
    ///   - port: the port; 0 lets the system choose.
    ///   - registry: the metrics to show.
    ///   - group: the event loops to run on.
    ///   - isReady: returns whether the service accepts requests.
    /// - Throws: an error if the listener cannot use the address.
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

    /// The port; the system chose it if 0 was requested.
    public var port: Int? { self.channel.localAddress?.port }

    /// Stops to listen.
    public func close() async throws {
        try await self.channel.close()
    }
}
