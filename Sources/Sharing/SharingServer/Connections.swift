internal import NIOCore
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// The connections of the server, and counters of rejected ones.
final class Connections: Sendable {
    private let open: OpenConnections
    private let metrics: ServerMetrics

    init(max: Int, metrics: ServerMetrics) {
        self.open = OpenConnections(connectionsMax: max) { metrics.connections($0) }
        self.metrics = metrics
    }

    /// Reserves a place for a connection, until the connection is closed.
    ///
    /// - Returns: whether there is a place.
    func arrived(_ channel: any Channel) -> Bool {
        switch self.open.arrived(channel) {
        case .serve: self.metrics.took(.connection)
        case .serveInPlaceOfAStranger:
            self.metrics.took(.connection)
            self.metrics.refused(.connection, .displaced)
        case .refuseAddress:
            self.metrics.refused(.connection, .address)
            return false
        case .refuse:
            self.metrics.refused(.connection, .places)
            return false
        }
        return true
    }

    /// Records the trust that the other end of a connection has earned.
    func showed(_ trust: ConnectionTrust, _ channel: any Channel) {
        self.open.showed(trust, channel)
    }

    /// Records that a connection was closed because its client was too slow.
    func waitedTooLong() {
        self.metrics.refused(.connection, .slow)
    }
}
