/// A rate limit for each key, such as an address or a device token, in bounded memory.
///
/// Inlinable, since the gateway asks for each push: unspecialised, the search for the key takes half a microsecond.
package struct KeyedGCRA<Key: Hashable & Sendable>: Sendable {
    /// The most keys with their own limit; further keys share one.
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

    /// Uses one of a key's limit.
    ///
    /// - Returns: whether there was one.
    @inlinable
    package mutating func take(for key: Key, now: EngineInstant) -> Bool {
        if self.allowances.count >= Self.keysMax, self.allowances[key] == nil {
            self.allowances = self.allowances.filter { !$0.value.isWhole(now: now) }
            if self.allowances.count >= Self.keysMax { return self.shared.take(now: now) }
        }
        return self.allowances[key, default: self.fresh].take(now: now)
    }

    /// Makes a key's limit unused.
    package mutating func reset(_ key: Key) { self.allowances[key] = nil }

    /// Returns one that was used for a key.
    package mutating func putBack(for key: Key) {
        if self.allowances[key] != nil { self.allowances[key]?.putBack() } else { self.shared.putBack() }
    }
}
