internal import Synchronization

/// The keys that may sign provider tokens now; they can be exchanged while providers are connected.
///
/// Two kinds: those that the process was given, and those that an operator added, which the store keeps.
final class ProviderKeyring: Sendable {
    private struct State {
        var given: [ProviderKey]
        var kept: [ProviderKey]
        var reader: ProviderTokenReader

        init(given: [ProviderKey], kept: [ProviderKey]) throws {
            try ProviderKey.check(given + kept)
            self.given = given
            self.kept = kept
            self.reader = ProviderTokenReader(keys: given + kept)
        }
    }

    private let state: Mutex<State>
    private let store: (any ProviderKeyStore)?
    /// Grows with each exchange, so that a verdict by earlier keys is known as one.
    let generation = Atomic(0)

    /// - Throws: ``GatewayError`` naming the key that cannot be used with the others, or the store's error.
    init(_ keys: [ProviderKey], store: (any ProviderKeyStore)?) throws {
        self.store = store
        self.state = Mutex(try State(given: keys, kept: try store?.providerKeys() ?? []))
    }

    /// Reads provider tokens by the keys of this moment.
    var current: ProviderTokenReader { self.state.withLock { $0.reader } }

    /// The keys in force, as `TEAM:KEY`, in their order.
    var names: [String] { self.current.names }

    /// All keys, and whether each is the store's.
    var keys: [(key: ProviderKey, isKept: Bool)] {
        self.state.withLock { state in state.given.map { ($0, false) } + state.kept.map { ($0, true) } }
    }

    /// Takes other keys in place of those that the process was given.
    ///
    /// - Throws: ``GatewayError`` naming the key that cannot be used with the others.
    func exchange(_ keys: [ProviderKey]) throws {
        try self.state.withLock { $0 = try State(given: keys, kept: $0.kept) }
        self.generation.add(1, ordering: .releasing)
    }

    /// Adds a key to the store, in place of one with the same team and id; it is in force when this returns.
    ///
    /// - Returns: the key that was in its place.
    /// - Throws: ``GatewayError`` naming the mistake, or the store's error; nothing has changed then.
    func add(_ key: ProviderKey) throws -> ProviderKey? {
        var before: ProviderKey?
        try self.change { given, kept, store in
            guard !given.contains(where: { $0.name == key.name }) else {
                throw GatewayError(.badKey, "\(key.name): was given with --key or --keys; change it there")
            }
            before = kept.first { $0.name == key.name }
            kept = (kept.filter { $0.name != key.name } + [key]).sorted { $0.name < $1.name }
            try ProviderKey.check(given + kept)
            try store.put(key)
        }
        return before
    }

    /// Removes a key from the store, or all of a team's.
    ///
    /// - Throws: ``GatewayError`` when there is none, or the store's error; nothing has changed then.
    func remove(teamID: String, keyID: String?) throws {
        try self.change { given, kept, store in
            guard try store.removeProviderKeys(teamID: teamID, keyID: keyID) else {
                let name = [teamID, keyID].compactMap(\.self).joined(separator: ":")
                let isGiven = given.contains { $0.name == name || $0.teamID == name }
                throw GatewayError(
                    .badKey,
                    isGiven ? "\(name): was given with --key or --keys; remove it there" : "\(name): is not there"
                )
            }
            kept.removeAll { $0.teamID == teamID && (keyID == nil || $0.keyID == keyID) }
        }
    }

    /// The store is asked under the lock: two orders at a time would else each undo the other's.
    private func change(_ body: ([ProviderKey], inout [ProviderKey], any ProviderKeyStore) throws -> Void) throws {
        guard let store = self.store else { throw GatewayError(.badKey, "this gateway keeps no keys") }
        try self.state.withLock { state in
            var kept = state.kept
            try body(state.given, &kept, store)
            state = try State(given: state.given, kept: kept)
        }
        self.generation.add(1, ordering: .releasing)
    }
}
