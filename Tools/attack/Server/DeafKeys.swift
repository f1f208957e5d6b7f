internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Requests with a key to which nothing can be sealed: each was open at the device for 30 s, and cost it a push.
enum DeafKeys: Attack {
    typealias Scene = ServerScene

    static let name = "deaf-keys"
    static let row = "to give a key that nothing can be sealed to, or everybody can open"
    static let attempt =
        "ask under a good grant with keys that nothing can be sealed to, and with more requests than are allowed"

    static func strike(_ scene: ServerScene, _ bounds: Bounds) async throws -> String {
        let client = try await StrangerClient.open(port: scene.port, from: StrangerLink.address(0))
        let (identity, grant) = (scene.insider.requester.profile.identity, scene.insider.grant)
        var (sent, taken) = (0, 0)
        var generator = SystemRandomNumberGenerator()
        while !bounds.isOver, sent < bounds.messagesMax {
            let (suite, key): (Suite, [UInt8]) =
                switch sent % 3 {
                case 0: (.xWing, Array(repeating: 0xFF, count: 1216))
                case 1: (.x25519, Array(repeating: 0, count: 32))
                default: (.x25519, try HPKESealing().makeKey(suite: .x25519).publicKey)
                }
            let request = try identity.sign(
                Request(under: grant, precision: .full, suite: suite, publicKey: key, using: &generator, now: .now)
            )
            sent += 1
            guard let status = await client.post("/v1/requests", request.bytes) else { break }
            if status == 202 { taken += 1 }
        }
        client.close()
        return "\(sent) requests, \(taken) taken"
    }
}
