internal import WhereaboutsSharing

/// Event streams that one address opens and holds: after 10,000 of them in 91 s, no one could read an answer.
enum HoardedStreams: Attack {
    typealias Scene = CrowdedServerScene

    static let name = "hoarded-streams"
    static let row = "to hold all event streams of the sharing server, with any number of keys"
    static let attempt = "ask oneself from one address, and hold as many streams of the request's states as there are"

    static func strike(_ scene: CrowdedServerScene, _ bounds: Bounds) async throws -> String {
        var held: [StrangerClient] = []
        var (opened, tried, most) = (0, 0, 0)
        var asked: (request: Signed<Request>, at: ContinuousClock.Instant)?
        while !bounds.isOver, tried < bounds.messagesMax {
            held.removeAll { !$0.isOpen }
            most = max(most, held.count)
            tried += 1
            guard held.count < bounds.connectionsMax,
                let client = try? await StrangerClient.open(port: scene.server.port, from: StrangerLink.address(0))
            else {
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            // A request ends half a minute after its push, and its streams with it.
            if asked.map({ $0.at.duration(to: .now) > .seconds(20) }) ?? true {
                let request = try scene.accomplice.request()
                guard await client.post("/v1/requests", request.bytes) == 202 else {
                    client.close()
                    continue
                }
                asked = (request, .now)
            }
            guard let request = asked?.request else { continue }
            let path = "/v1/requests/\(request.value.id)/events"
            let status = await client.get(path, authorization: try scene.accomplice.authorization(for: request))
            if status == 200 {
                opened += 1
                held.append(client)
            } else {
                client.close()
            }
        }
        for client in held { client.close() }
        guard opened > 0 else { throw ChannelFailure(words: "no stream could be opened") }
        return "\(tried) attempts, \(opened) streams, \(most) at most at a time"
    }
}
