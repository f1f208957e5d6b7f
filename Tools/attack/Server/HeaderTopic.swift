internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Registrations whose topic breaks a header: the push for one ended the connection that carries all pushes.
enum HeaderTopic: Attack {
    typealias Scene = ServerScene

    static let name = "header-topic"
    static let row = "to end everybody's pushes with a topic that breaks a header"
    static let attempt = "register a topic with a line break, and ask oneself again and again"

    static func strike(_ scene: ServerScene, _ bounds: Bounds) async throws -> String {
        let client = try await StrangerClient.open(port: scene.port, from: StrangerLink.address(0))
        let identity = try Identity()
        let me = identity.publicIdentity
        var (attempts, taken) = (0, 0)
        while !bounds.isOver, attempts < bounds.messagesMax {
            attempts += 1
            let registration = try identity.sign(LooseRegistration(signer: me, topic: "a\r\nb"))
            if await client.post("/v1/devices", registration.bytes) == 204 { taken += 1 }
            var generator = SystemRandomNumberGenerator()
            let grant = try identity.sign(
                Grant(
                    to: me,
                    by: me,
                    precision: .full,
                    for: .seconds(60),
                    atMostEvery: .zero,
                    using: &generator,
                    now: .now
                )
            )
            let key = try HPKESealing().makeKey(suite: .x25519).publicKey
            let request = try identity.sign(
                Request(under: grant, precision: .full, suite: .x25519, publicKey: key, using: &generator, now: .now)
            )
            guard await client.post("/v1/requests", request.bytes) != nil else { break }
        }
        client.close()
        return "\(attempts) attempts, \(taken) topics taken"
    }
}
