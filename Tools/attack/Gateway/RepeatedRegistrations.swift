internal import WhereaboutsPushEngine

/// Links that repeat their registrations: each cost the gateway 256 rows, and others had to wait.
enum RepeatedRegistrations: Attack {
    typealias Scene = GatewayScene

    static let name = "repeated-registrations"
    static let row = "to make pushes wait for its requests"
    static let attempt = "on a few links register and give up topics without a pause, while a provider pushes"

    static func strike(_ scene: GatewayScene, _ bounds: Bounds) async throws -> String {
        var links: [StrangerLink] = []
        for number in 0..<6 {
            links.append(
                try await StrangerLink.open(port: scene.devicePort, from: StrangerLink.address(number))
            )
        }
        let topics = (0..<16).map { "com.example.repeated\($0)" }
        var requests = 0
        while !bounds.isOver, requests < bounds.messagesMax, links.contains(where: \.isOpen) {
            for (number, link) in links.enumerated() {
                let messages = topics.flatMap { topic -> [DeviceMessage] in
                    number < 3
                        ? [.request(.register(topic: topic)), .request(.register(topic: topic))]
                        : [.request(.register(topic: topic)), .request(.unregister(topic: topic))]
                }
                if try await link.say(messages, bounds) { requests += messages.count }
            }
        }
        for link in links { link.close() }
        return "\(requests) requests on \(links.count) links"
    }
}
