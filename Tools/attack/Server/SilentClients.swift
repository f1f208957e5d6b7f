/// Connections to the sharing server that send nothing: 1,100 of them kept all other clients out forever.
enum SilentClients: Attack {
    typealias Scene = ServerScene

    static let name = "silent-clients"
    static let row = "to hold the sharing server's connections, from one address or many"
    static let attempt = "hold as many silent connections to the server as there are, from one address and many"

    static func strike(_ scene: ServerScene, _ bounds: Bounds) async throws -> String {
        try await SilentConnections.hold(port: scene.port, bounds)
    }
}
