internal import NIOCore
internal import NIOPosix

/// Connections to the sharing server that say nothing: 1,100 of them kept everybody out for ever.
enum SilentClients: Attack {
    typealias Scene = ServerScene

    static let name = "silent-clients"
    static let finding = 10
    static let attempt = "hold as many silent connections to the server as there are, from one address and many"

    static func strike(_ scene: ServerScene, _ bounds: Bounds) async throws -> String {
        var held: [any Channel] = []
        var opened = 0
        while !bounds.isOver {
            held.removeAll { !$0.isActive }
            guard held.count < bounds.connectionsMax, opened < bounds.messagesMax else {
                try await Task.sleep(for: .milliseconds(10))
                continue
            }
            opened += 1
            let address = StrangerLink.address(opened % 2 == 0 ? 0 : opened % 1000)
            let channel = try? await ClientBootstrap(group: GatewayScene.group)
                .connectTimeout(.seconds(1))
                .bind(to: SocketAddress(ipAddress: address, port: 0))
                .connect(host: "127.0.0.1", port: scene.port).get()
            if let channel { held.append(channel) }
        }
        let left = held.filter(\.isActive).count
        for channel in held { channel.close(promise: nil) }
        return "\(opened) connections, \(left) held at the end"
    }
}
