/// Keys that cost nothing: each held one of the devices' connections as long as it pinged.
enum CheapKeys: Attack {
    typealias Scene = GatewayScene

    static let name = "cheap-keys"
    static let row = "to hold connections to a port of the gateway"
    static let attempt = "prove fresh keys on the device port, from one address and many, and keep every place"

    static func strike(_ scene: GatewayScene, _ bounds: Bounds) async throws -> String {
        var held: [StrangerLink] = []
        var opened = 0
        while !bounds.isOver {
            held.removeAll { !$0.isOpen }
            guard held.count < bounds.connectionsMax, opened < bounds.messagesMax else {
                try await Task.sleep(for: .milliseconds(10))
                continue
            }
            opened += 1
            let address = StrangerLink.address(opened % 2 == 0 ? 0 : opened % 1000)
            if let link = try? await StrangerLink.open(port: scene.devicePort, from: address) { held.append(link) }
        }
        let left = held.filter(\.isOpen).count
        for link in held { link.close() }
        return "\(opened) keys, \(left) held at the end"
    }
}
