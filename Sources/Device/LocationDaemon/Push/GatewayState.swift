/// The state of the connection to the push gateway.
enum GatewayState: Sendable, Hashable {
    /// No gateway is configured.
    case notConfigured
    /// The first connection is being made.
    case connecting
    /// Connected; pushes arrive.
    case connected
    /// The device is not connected, for this reason, and keeps trying.
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
