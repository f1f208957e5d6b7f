internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Registrations and revocations of fresh identities: each was stored forever, or for 292 billion years.
enum StatementFlood: Attack {
    typealias Scene = ServerScene

    static let name = "statement-flood"
    static let row = "to fill the sharing server's store"
    static let attempt = "register and revoke with a fresh key each time, from one address and many"

    static func strike(_ scene: ServerScene, _ bounds: Bounds) async throws -> String {
        var (sent, taken) = (0, 0)
        while !bounds.isOver, sent < bounds.messagesMax {
            let address = StrangerLink.address(sent % 2 == 0 ? 0 : sent % 1000)
            guard let client = try? await StrangerClient.open(port: scene.port, from: address) else { continue }
            for _ in 0..<50 where !bounds.isOver {
                let identity = try Identity()
                let me = identity.publicIdentity
                let registration = try identity.sign(
                    LooseRegistration(signer: me, topic: String(repeating: "a", count: 155))
                )
                var generator = SystemRandomNumberGenerator()
                let revocation = try identity.sign(
                    Revocation(
                        grant: GrantID(using: &generator),
                        sharer: me,
                        notAfter: WallTime(milliseconds: sent % 3 == 0 ? .max : WallTime.now.milliseconds + 86_400_000)
                    )
                )
                for (path, bytes) in [("/v1/devices", registration.bytes), ("/v1/revocations", revocation.bytes)] {
                    sent += 1
                    if await client.post(path, bytes) == 204 { taken += 1 }
                }
            }
            client.close()
        }
        return "\(sent) statements, \(taken) taken"
    }
}
