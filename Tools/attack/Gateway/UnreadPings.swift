internal import WhereaboutsPushEngine

/// Pings whose answers are never read: 8 bytes from a stranger cost a buffer, a TLS record and a pending write each.
enum UnreadPings: Attack {
    typealias Scene = GatewayScene

    static let name = "unread-pings"
    static let row = "to have answers kept that it does not read"
    static let attempt = "ping without end, and read no answer; ask for tokens without end, and read none"

    static func strike(_ scene: GatewayScene, _ bounds: Bounds) async throws -> String {
        let pinging = try await StrangerLink.open(port: scene.devicePort, from: StrangerLink.address(0), reads: false)
        let asking = try await StrangerLink.open(port: scene.devicePort, from: StrangerLink.address(1), reads: false)
        var pings = 0
        var requests = 0
        while !bounds.isOver, pings < bounds.messagesMax, pinging.isOpen || asking.isOpen {
            if try await pinging.say((0..<1000).map { .ping(UInt64($0)) }, bounds) { pings += 1000 }
            let requested = (0..<100).map { _ in DeviceMessage.request(.register(topic: "com.example.unread")) }
            if try await asking.say(requested, bounds) { requests += 100 }
        }
        pinging.close()
        asking.close()
        return "\(pings) pings and \(requests) requests, no answer read"
    }
}
