internal import WhereaboutsAPNS
internal import WhereaboutsLocationEngine
internal import WhereaboutsPushEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Another vendor's sharing server, with its own key at the relay: it breaks the rules.
final class SenderNode: Node {
    private static let timeout = Duration.seconds(10)
    private static let name = Sender.Name(teamID: "OTHERS", keyID: "KEY")
    /// A text as long as every sealed request, without content.
    private static let sealed = String(repeating: "A", count: (SealedPush.byteCount * 4 + 2) / 3)

    private var random: SeededGenerator
    private var seenByRelay: ProviderConnection

    init(_ world: Simulation) {
        self.random = SeededGenerator(seed: world.scenario.seed ^ 0x7365_6E64)
        self.seenByRelay = ProviderConnection(now: EngineInstant(sinceStart: .zero))
        super.init(.sender, world)
    }

    /// Sends one push after the other, for a while.
    func send(_ flood: Scenario.Flood, until end: Instant, every pause: Duration) {
        guard self.world.now < min(end, self.world.heals) else { return }
        self.later(pause) { [unowned self] in
            self.world.census.add("another sender sends: \(flood.rawValue)")
            self.send(flood)
            self.send(flood, until: end, every: pause)
        }
    }

    private func send(_ flood: Scenario.Flood) {
        guard let plan = self.world.scenario.relay else { return }
        let (relay, request) = (self.world.relay, self.request(flood))
        let sender = Sender(Self.name, pushesADay: plan.othersADay)
        self.world.exchange(from: self.id, to: relay, timeout: Self.timeout) { [unowned self] answer in
            let claims = ProviderClaims(
                teamID: sender.name.teamID,
                keyID: sender.name.keyID,
                issuedAt: relay.wall,
                scope: .all,
                sender: sender
            )
            let valid: ValidPush
            do throws(Rejection) {
                // One connection for each push, so that the age of a token does not matter.
                self.seenByRelay = ProviderConnection(now: relay.monotonic)
                let scope = try self.seenByRelay.requestBegan(.verified(claims), now: relay.wall)
                valid = try request.validated(for: scope, id: "flood", now: relay.wall)
            } catch { return answer(error) }
            try relay.push(valid, from: sender, answer)
        } then: { (_: Result<Rejection?, NetworkError>) in
        }
    }

    private func request(_ flood: Scenario.Flood) -> PushRequest {
        let token = DeviceToken(using: &self.random)
        let app = Names.bundle(0).rawValue
        let type = flood == .alerts ? PushType.alert : .location
        let name = flood == .plain ? "request" : "sealed"
        var request = PushRequest(
            type,
            token: token,
            topic: type.topic(bundleIdentifier: app),
            body: Array(#"{"aps":{},"whereabouts":{"\#(name)":"\#(Self.sealed)"}}"#.utf8)
        )
        if flood == .named { request.add(HeaderName.collapseID, "Alice asks Bob") }
        return request
    }
}
