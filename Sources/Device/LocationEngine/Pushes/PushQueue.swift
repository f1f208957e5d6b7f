internal import DequeModule
internal import WhereaboutsVocabulary

/// The pushes of one app that no process has received yet, oldest first, each with its times.
///
/// An expiration date is turned into an instant when the push arrives, so that a step of the wall clock neither keeps a
/// push forever nor drops it at once.
struct PushQueue: Sendable, Hashable {
    private struct Entry: Sendable, Hashable {
        var push: Push
        /// The push is dropped from this instant on.
        var expires: EngineInstant
        /// From this instant on the push must not wait; nil: it never wakes the extension by itself.
        var wakes: EngineInstant?
    }

    private var entries: Deque<Entry> = []
    @Boxed private var policy: Policy

    init(policy: Policy) {
        self._policy = Boxed(policy)
    }

    var isEmpty: Bool { self.entries.isEmpty }
    var count: Int { self.entries.count }

    func contains(_ push: PushID) -> Bool { self.entries.contains { $0.push.id == push } }

    /// The instant from which the extension must be started for a push; nil when no push needs that.
    var wakes: EngineInstant? { self.entries.compactMap(\.wakes).min() }

    /// The instant at which the next push expires.
    var expires: EngineInstant? { self.entries.map(\.expires).min() }

    /// The instant at which a push expires.
    static func expiration(of push: Push, _ policy: Policy, now: Now) -> EngineInstant {
        guard let date = push.expiration else { return push.received.advanced(by: policy.undatedPushLife) }
        return now.monotonic.advanced(by: min(max(.zero, now.wall.duration(to: date)), policy.pushLifeMax))
    }

    mutating func append(_ push: Push, now: Now) {
        let expires = Self.expiration(of: push, self.policy, now: now)
        let wakes: EngineInstant? =
            switch push.priority {
            case .immediate: push.received
            case .considerate: self.latestStart(for: push, expires: expires)
            case .passive: nil
            }
        self.entries.append(Entry(push: push, expires: expires, wakes: wakes))
    }

    /// The latest time to start the extension for a waiting push, so that it still has its whole allowance.
    private func latestStart(for push: Push, expires: EngineInstant) -> EngineInstant {
        let deferred = push.received.advanced(by: self.policy.pushDeferral)
        let timely = expires - self.policy.extensionAllowance
        return max(push.received, min(deferred, timely))
    }

    /// Removes and returns the push that a newer one with this collapse ID replaces.
    mutating func collapse(_ id: String) -> PushID? {
        guard let index = self.entries.firstIndex(where: { $0.push.collapseID == id }) else { return nil }
        return self.entries.remove(at: index).push.id
    }

    /// Removes and returns the oldest of the least urgent pushes, if it is less urgent than `priority`.
    mutating func displace(for priority: Push.Priority) -> PushID? {
        guard let least = self.entries.map(\.push.priority).min(), least < priority,
            let index = self.entries.firstIndex(where: { $0.push.priority == least })
        else { return nil }
        return self.entries.remove(at: index).push.id
    }

    /// Removes and returns the expired pushes.
    mutating func takeExpired(now: EngineInstant) -> [Push] {
        let expired = self.entries.filter { now >= $0.expires }.map(\.push)
        if !expired.isEmpty { self.entries.removeAll { now >= $0.expires } }
        return expired
    }

    /// Removes and returns the pushes that must be delivered now.
    mutating func takeUrgent() -> [Push] {
        let urgent = self.entries.filter { $0.push.priority == .immediate }.map(\.push)
        self.entries.removeAll { $0.push.priority == .immediate }
        return urgent
    }

    mutating func takeAll() -> [Push] {
        defer { self.entries = [] }
        return self.entries.map(\.push)
    }
}
