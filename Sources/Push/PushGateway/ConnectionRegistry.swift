internal import CoreMetrics
internal import Logging
internal import NIOCore
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// The open connections of a listener: limits their number, counts refused ones, and ends all when the gateway stops.
final class ConnectionRegistry: Sendable {
    private let open: OpenConnections
    private let metrics: GatewayMetrics.Connections
    private let notes: ThrottledNotes

    init(connectionsMax: Int, metrics: GatewayMetrics.Connections, notes: ThrottledNotes) {
        self.open = OpenConnections(connectionsMax: connectionsMax) { metrics.open.set($0) }
        self.metrics = metrics
        self.notes = notes
    }

    /// Adds a connection until it closes; may close the connection of an unknown peer to make room.
    ///
    /// - Returns: false if there is no room; the connection was not added then.
    func add(_ channel: any Channel) -> Bool {
        switch self.open.arrived(channel) {
        case .serve: break
        case .serveInPlaceOfAStranger: self.metrics.replaced.increment()
        case .refuse:
            self.metrics.refused.increment()
            self.notes.write(.warning, "known peers use all connections; a new connection is refused")
            return false
        case .refuseAddress:
            self.metrics.refusedByAddress.increment()
            self.notes.write(
                .info,
                "half of the connections are in use, and an address reached its share; its new connection is closed"
            )
            return false
        }
        return true
    }

    /// Records that the peer of a connection has earned more trust.
    func showed(_ trust: ConnectionTrust, _ channel: any Channel) {
        self.open.showed(trust, channel)
    }

    /// Records the owner of a connection.
    ///
    /// - Returns: false if the key has reached its limit of connections, and this one must be ended.
    func identified(_ channel: any Channel, as key: String) -> Bool {
        guard !self.open.identified(channel, as: key) else { return true }
        self.metrics.refusedByKey.increment()
        self.notes.write(
            .warning,
            "half of the connections are in use, and a team reached its share; its connection is closed"
        )
        return false
    }

    /// Records that the TLS handshake of a connection failed.
    func handshakeFailed(_ failure: GatewayMetrics.HandshakeFailure) {
        self.metrics.handshakeFailed(failure)
    }

    /// The number of connections that are open.
    var count: Int { self.open.all.count }

    /// Closes every connection at once.
    func closeAll() async throws {
        let open = self.open.all
        for channel in open { channel.close(promise: nil) }
        for channel in open { try await channel.closeFuture.get() }
    }

    /// Ends every connection, and returns when the last one is closed; each has its own deadline.
    func end() async throws {
        let open = self.open.all
        for channel in open { channel.pipeline.fireUserInboundEventTriggered(GatewayShutdown()) }
        for channel in open { try await channel.closeFuture.get() }
    }
}

/// The event that makes a connection end.
struct GatewayShutdown: Sendable {}
