/// The state of the connection to the push gateway.
enum GatewayState: Sendable, Hashable {
    /// There is no gateway to connect to.
    case notConfigured
    /// The first connection is being made.
    case connecting
    /// Pushes come.
    case connected
    /// There is no connection, for that reason; it is tried again and again.
    case away(String)

    var words: String {
        switch self {
        case .notConfigured: "not configured"
        case .connecting: "connecting"
        case .connected: "connected"
        case .away(let reason): "not connected: \(reason)"
        }
    }
}
