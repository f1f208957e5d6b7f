internal import OrderedCollections
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// A hostile sharing server: it can do anything with requests and tokens, but has no keys.
extension ServerNode {
    /// The time between two replays.
    private static let pause = Duration.seconds(2)
    /// The maximum number of requests that a lying server hands out in addition to the waiting ones.
    static let replayedMax = 16

    func tell(_ lie: Scenario.ServerLie, until end: Instant) {
        self.lies[lie] = max(self.lies[lie] ?? .start, end)
        if lie == .replays { self.replay() }
    }

    /// Whether the server tells a lie now; the census counts each opportunity.
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

    /// Pushes a request, whatever the engine decides.
    func pushAnyway(_ request: Signed<Request>) throws {
        let sharer = request.value.grant.value.sharer
        guard let registration = try self.store.view.registration(of: sharer),
            let push = RequestPush(of: request, to: registration)
        else { return }
        try self.send(push)
    }

    /// The messages to send to a reader in place of one; empty if that one has no news.
    ///
    /// A lying server reverses and repeats states, withholds updates, or repeats the previous update.
    func said(_ message: EventStreams.Message, _ isLast: Bool, before: [UInt8]?) -> [EventStreams.Message] {
        switch message {
        case .states([]), .update(nil): isLast ? [message] : []
        case .states(let states) where self.lies(.reorders): [.states(Array(states.reversed()) + states)]
        case .update where self.lies(.waits): []
        case .update where before != nil && self.lies(.reorders): [message, .update(before)]
        case .states, .update, .incidents, .ended: [message]
        }
    }
}
