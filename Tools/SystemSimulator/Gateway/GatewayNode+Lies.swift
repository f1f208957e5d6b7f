internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A hostile gateway: in addition to its work, it sends lies to every connected device.
extension GatewayNode {
    /// The time between two lies; in the longest span this gives a thousand pushes, more than any budget has.
    private static let pause = Duration.milliseconds(90)

    func tell(_ lie: Scenario.GatewayLie, until end: Instant) {
        guard self.world.now < end else { return }
        self.later(Self.pause) { [unowned self] in
            for connection in self.connections where connection.isWelcome {
                for message in self.messages(lie) {
                    self.world.census.add("gateway lies: \(lie.rawValue)")
                    connection.send(message)
                }
            }
            self.tell(lie, until: end)
        }
    }

    private func messages(_ lie: Scenario.GatewayLie) -> [GatewayMessage] {
        switch lie {
        case .numbers:
            let ends: [Int64] = [.min, -1, 0, .max / 1_000_000 + 1, 100_000_000_000, .max]
            let expiration = ends[Int.random(in: ends.indices, using: &self.whims)]
            return [
                .push(self.lied("sim.app0", .until(expiration))), .pong(.max), .welcome(keepalive: .seconds(Int64.max)),
            ]
        case .repeats: return self.delivered.map { .push($0) }
        case .unknown:
            return [
                .push(self.lied("com.example.nowhere", .once)), .push(self.lied("\0\r\n", .until(.max))),
                .registered(
                    topic: PushType.location.topic(bundleIdentifier: "sim.app99"),
                    token: DeviceToken(using: &self.whims)
                ),
            ]
        }
    }

    private func lied(_ bundle: String, _ expiration: Expiration) -> StoredPush {
        StoredPush(
            id: PushID(using: &self.whims),
            topic: PushType.location.topic(bundleIdentifier: bundle),
            payload: Array("{}".utf8),
            priority: .immediate,
            expiration: expiration,
            collapseID: nil
        )
    }
}
