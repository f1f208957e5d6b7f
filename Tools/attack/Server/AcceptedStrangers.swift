internal import WhereaboutsSharing

/// Connections on which the server accepted a message; from then on, it trusted them and made no room for others.
enum AcceptedStrangers: Attack {
    typealias Scene = CrowdedServerScene

    static let name = "accepted-strangers"
    static let row = "to hold the sharing server's connections, from one address or many"
    static let attempt =
        "hold connections from one address and many, on each of which a self-signed request is accepted"

    static func strike(_ scene: CrowdedServerScene, _ bounds: Bounds) async throws -> String {
        let request = try scene.accomplice.request()
        var held: [StrangerClient] = []
        var (tried, accepted, most, next) = (0, 0, 0, 0)
        while !bounds.isOver, tried < bounds.messagesMax {
            held.removeAll { !$0.isOpen }
            most = max(most, held.count)
            tried += 1
            let address = StrangerLink.address(tried % 2 == 0 ? 0 : tried % 1000)
            if held.count < bounds.connectionsMax,
                let client = try? await StrangerClient.open(port: scene.server.port, from: address)
            {
                held.append(client)
            }
            // The server accepts the same bytes again on each connection.
            guard !held.isEmpty else { continue }
            next = (next + 1) % held.count
            for client in [held[held.count - 1], held[next]] {
                if await client.post("/v1/requests", request.bytes) == 202 { accepted += 1 }
            }
        }
        for client in held { client.close() }
        guard accepted > 0 else { throw ChannelFailure(words: "no request was accepted") }
        return "\(tried) connections tried, \(accepted) messages accepted, \(most) held at most"
    }
}
