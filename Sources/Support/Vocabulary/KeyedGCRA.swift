/// A rate limit for each key, such as an address or a device token, in bounded memory.
///
/// Inlinable, because the gateway calls it for each push: unspecialized, the lookup of the key takes half a microsecond.
package struct KeyedGCRA<Key: Hashable & Sendable>: Sendable {
    /// The maximum number of keys with their own limit; all further keys share one limit.
    @inlinable
    package static var keysMax: Int { 10_000 }

    @usableFromInline
    let fresh: GCRA
    @usableFromInline
    var allowances: [Key: GCRA] = [:]
    @usableFromInline
    var shared: GCRA

    /// Creates unused limits.
    package init(burst: Int, every interval: Duration) {
        self.fresh = GCRA(burst: burst, every: interval)
        self.shared = self.fresh
    }

    /// Counts an event of a key, if the key's limit allows it.
    ///
    /// - Returns: whether the event is allowed.
    @inlinable
    package mutating func take(for key: Key, now: EngineInstant) -> Bool {
        if self.allowances.count >= Self.keysMax, self.allowances[key] == nil {
            self.allowances = self.allowances.filter { !$0.value.isWhole(now: now) }
            if self.allowances.count >= Self.keysMax { return self.shared.take(now: now) }
        }
        return self.allowances[key, default: self.fresh].take(now: now)
    }

    /// Resets the limit of a key to a full burst.
    package mutating func reset(_ key: Key) { self.allowances[key] = nil }

    /// Takes back an event that was counted for a key.
    package mutating func putBack(for key: Key) {
        if self.allowances[key] != nil { self.allowances[key]?.putBack() } else { self.shared.putBack() }
    }
}
