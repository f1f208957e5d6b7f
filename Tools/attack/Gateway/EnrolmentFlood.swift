internal import WhereaboutsPushEngine

/// Fresh keys that register as much as they may: each token was stored forever.
enum EnrolmentFlood: Attack {
    typealias Scene = GatewayScene

    static let name = "enrolment-flood"
    static let row = "to register without end"
    static let attempt = "make key after key, and register as many long topics as each may"

    static func strike(_ scene: GatewayScene, _ bounds: Bounds) async throws -> String {
        var keys = 0
        var topics = 0
        while !bounds.isOver, topics < bounds.messagesMax {
            guard let link = try? await StrangerLink.open(port: scene.devicePort, from: StrangerLink.address(0)) else {
                continue
            }
            keys += 1
            let requests = (0..<TokenDecision.topicsMax).map { number in
                let name = "com.example.\(number)."
                let topic = name + String(repeating: "x", count: 155 - name.utf8.count)
                return DeviceMessage.request(.register(topic: topic))
            }
            if try await link.say(requests, bounds) { topics += requests.count }
            link.close()
        }
        return "\(keys) keys, \(topics) topics asked for"
    }
}
