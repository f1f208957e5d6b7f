internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// A hostile relay: it can do anything with pushes, but has no keys of requesters or sharers.
extension RelayNode {
    /// The maximum number of copies of one push.
    private static let repeatsMax = 4

    func tell(_ lie: Scenario.RelayLie, until end: Instant) {
        self.lies[lie] = max(self.lies[lie] ?? .start, min(end, self.world.heals))
    }

    /// Whether the relay tells a lie now; the census counts each opportunity.
    private func lies(_ lie: Scenario.RelayLie) -> Bool {
        guard let end = self.lies[lie], self.world.now < end else { return false }
        self.world.census.add("relay lies: \(lie.rawValue)")
        return true
    }

    /// Sends a push whose count is on disk; a lying relay does something else.
    func relay(_ push: ValidPush, _ id: PushID) throws {
        self.keep(push)
        if self.lies(.drops) { return self.say(.accepted, of: id) }
        if self.lies(.denies) { return self.say(.rejected(.unregistered, timestamp: nil), of: id) }
        if self.lies(.delays) {
            self.sendUnasked(push, after: .milliseconds(Int.random(in: 1000...150_000, using: &self.whims)))
            return self.later(Relay.timeout) { [unowned self] in try self.ended(id, .unanswered) }
        }
        try self.send(push, as: id) { [unowned self] end in try self.ended(id, end) }
        if self.lies(.repeats) {
            for _ in 0..<Int.random(in: 1...Self.repeatsMax, using: &self.whims) {
                self.sendUnasked(push, after: .milliseconds(Int.random(in: 0...20_000, using: &self.whims)))
            }
        }
        if self.lies(.swaps), let other = self.kept.randomElement(using: &self.whims) {
            self.sendUnasked(other, payload: push.payload, after: .zero)
            self.sendUnasked(push, payload: other.payload, after: .zero)
        }
    }

    private func say(_ end: RelayEnd, of id: PushID) {
        self.later(.milliseconds(50)) { [unowned self] in try self.ended(id, end) }
    }

    private func sendUnasked(_ push: ValidPush, payload: [UInt8]? = nil, after delay: Duration) {
        self.later(delay) { [unowned self] in try self.send(push, payload: payload, as: nil) { _ in } }
    }
}
