/// Connections of one team with a valid key: a thousand of them in two seconds left none for other teams.
enum HoardingTenant: Attack {
    typealias Scene = TenantScene

    static let name = "hoarding-tenant"
    static let row = "to hold all provider connections with its own key"
    static let attempt = "as a team whose key is good, hold as many connections as there are, from many addresses"

    static func strike(_ scene: TenantScene, _ bounds: Bounds) async throws -> String {
        let token = try scene.token()
        var held: [TenantConnection] = []
        var (tried, taken, most) = (0, 0, 0)
        while !bounds.isOver, tried < bounds.messagesMax {
            held.removeAll { !$0.isOpen }
            most = max(most, held.count)
            guard held.count < bounds.connectionsMax else {
                try await Task.sleep(for: .milliseconds(10))
                continue
            }
            tried += 1
            let address = StrangerLink.address(tried % 1000)
            guard let connection = try? await TenantConnection.open(port: scene.gateway.providerPort, from: address)
            else { continue }
            if await connection.push(topic: TenantScene.bundle, token: token) {
                taken += 1
                held.append(connection)
            } else {
                connection.close()
            }
        }
        for connection in held { connection.close() }
        guard taken > 0 else { throw ChannelFailure(words: "no push of the tenant was answered") }
        return "\(tried) connections tried, \(taken) with a good token, \(most) held at most"
    }
}
