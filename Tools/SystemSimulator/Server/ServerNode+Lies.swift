internal import OrderedCollections
internal import WhereaboutsAPNS
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A sharing server that somebody took over: it uses requests and tokens as it likes; it has no key.
extension ServerNode {
    /// The time between two replays.
    private static let pause = Duration.seconds(2)
    /// The most requests that a lying server hands out beside those that wait.
    static let replayedMax = 16

    func tell(_ lie: Scenario.ServerLie, until end: Instant) {
        self.lies[lie] = max(self.lies[lie] ?? .start, end)
        if lie == .replays { self.replay() }
    }

    /// Whether it tells a lie now; each time it could is counted.
    func lies(_ lie: Scenario.ServerLie) -> Bool {
        guard let end = self.lies[lie], self.world.now < end else { return false }
        self.world.census.add("server lies: \(lie.rawValue)")
        return true
    }

    /// Pushes old requests to their sharers again.
    private func replay() {
        self.later(Self.pause) { [unowned self] in
            guard self.lies(.replays) else { return }
            for record in self.store.requests.values.suffix(2) { try self.pushAnyway(record.request) }
            self.replay()
        }
    }

    /// Pushes a request, whatever the engine says of it.
    func pushAnyway(_ request: Signed<Request>) throws {
        let sharer = request.value.grant.value.sharer
        guard let registration = try self.store.view.registration(of: sharer),
            let push = RequestPush(of: request, to: registration)
        else { return }
        try self.send(push)
    }

    /// The words of a stream as a liar says them: the last first, and then all again.
    func told(_ looked: StateFeed.OnLooked) -> StateFeed.OnLooked {
        guard self.lies(.reorders) else { return looked }
        return switch looked {
        case .tell(let events): .tell(Array(events.reversed()) + events)
        case .finish(let events): .finish(Array(events.reversed()) + events)
        }
    }
}
