internal import WhereaboutsPushEngine

/// A NUL in a topic: the database cut the topic there, found it twice, and rolled back a batch with everyone's changes.
enum NulTopic: Attack {
    typealias Scene = GatewayScene

    static let name = "nul-topic"
    static let row = "to break a database, a header or a line with a topic"
    static let attempt = "register a topic, and the same one with a NUL and more behind it, again and again"

    static func strike(_ scene: GatewayScene, _ bounds: Bounds) async throws -> String {
        var links = 0
        var refusals = 0
        while !bounds.isOver, links < bounds.messagesMax {
            links += 1
            guard
                let link = try? await StrangerLink.open(port: scene.devicePort, from: StrangerLink.address(links % 200))
            else {
                refusals += 1
                continue
            }
            let topics = ["a", "a\0b", "a\0", "\0", "a\r\nb", "a b"]
            _ = try await link.say(topics.map { .request(.register(topic: $0)) }, bounds)
            _ = try await link.say(topics.map { .request(.unregister(topic: $0)) }, bounds)
            _ = try await link.say([.request(.enableTopics(topics))], bounds)
            link.close()
        }
        return "\(links) links, \(refusals) not let in"
    }
}
