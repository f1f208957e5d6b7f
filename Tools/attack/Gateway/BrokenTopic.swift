internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient

/// Pushes whose topic breaks a header: the client treated the refusal of one push as the end of the connection for all.
enum BrokenTopic: Attack {
    typealias Scene = GatewayScene

    static let name = "broken-topic"
    static let row = "to break a database, a header or a line with a topic"
    static let attempt = "send pushes with a line break in their topic on the connection of the honest ones"

    static func strike(_ scene: GatewayScene, _ bounds: Bounds) async throws -> String {
        guard let token = DeviceToken(bytes: [7]) else { return "no token" }
        var pushes = 0
        while !bounds.isOver, pushes < bounds.messagesMax {
            for bundle in ["a\r\nb", "a\0b", "a\nx: y", "ä", ""] {
                pushes += 1
                _ = await scene.provider.send(
                    Push(.location, token: token, bundleIdentifier: bundle, expiration: .once)
                )
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        return "\(pushes) pushes"
    }
}
