/// A server that accepts pushes: Apple's, or a push gateway with the same protocol.
public struct Endpoint: Sendable, Hashable {
    /// The host name or address; the server's certificate must be valid for it.
    public var host: String
    /// The port; Apple listens on 443, and on 2197 for networks that restrict 443 to browsers.
    public var port: Int
    /// The environment; nil for a gateway, which has only one.
    public var environment: Environment?

    /// Names a server.
    public init(host: String, port: Int = 443, environment: Environment? = nil) {
        self.host = host
        self.port = port
        self.environment = environment
    }

    /// Apple's server of an environment.
    ///
    /// - Parameters:
    ///   - environment: the environment that issued the device tokens.
    ///   - port: 443 or 2197.
    /// - Returns: the server.
    public static func apple(_ environment: Environment, port: Int = 443) -> Endpoint {
        let host =
            switch environment {
            case .production: "api.push.apple.com"
            case .development: "api.sandbox.push.apple.com"
            }
        return Endpoint(host: host, port: port, environment: environment)
    }

    /// Apple's server of an environment for broadcast channels; broadcasts themselves go to ``apple(_:port:)``.
    public static func appleChannels(_ environment: Environment) -> Endpoint {
        switch environment {
        case .production:
            Endpoint(host: "api-manage-broadcast.push.apple.com", port: 2196, environment: environment)
        case .development:
            Endpoint(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195, environment: environment)
        }
    }
}
