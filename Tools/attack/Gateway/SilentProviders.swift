/// Connections to the provider port that send nothing: a thousand of them kept every provider out for a minute.
enum SilentProviders: Attack {
    typealias Scene = GatewayScene

    static let name = "silent-providers"
    static let row = "to hold connections to a port of the gateway"
    static let attempt =
        "hold as many silent TCP connections to the provider port as there are, from one address and many"

    static func strike(_ scene: GatewayScene, _ bounds: Bounds) async throws -> String {
        try await SilentConnections.hold(port: scene.providerPort, bounds)
    }
}
