internal import NIOCore
internal import NIOPosix

/// As many silent connections as possible: half of them from one address, the others from many.
enum SilentConnections {
    /// Opens connections until the bounds are reached, and opens closed ones again.
    ///
    /// - Returns: how many were opened, and how many were left.
    static func hold(port: Int, _ bounds: Bounds) async throws -> String {
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
            let channel = try? await ClientBootstrap(group: Strangers.group)
                .connectTimeout(.seconds(1))
                .bind(to: SocketAddress(ipAddress: address, port: 0))
                .connect(host: "127.0.0.1", port: port).get()
            if let channel { held.append(channel) }
        }
        let left = held.filter(\.isActive).count
        for channel in held { channel.close(promise: nil) }
        return "\(opened) connections, \(left) held at the end"
    }
}
