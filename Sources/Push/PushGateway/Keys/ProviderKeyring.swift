internal import Synchronization

/// The keys that may sign provider tokens now, which can change while providers are connected.
///
/// There are two kinds: configured keys, and keys that an operator added to the store.
final class ProviderKeyring: Sendable {
    private struct State {
        var given: [ProviderKey]
        var kept: [ProviderKey]
        var reader: ProviderTokenReader

        /// Creates the state of a mock; without keys, every key is accepted.
        init(ofMock given: [ProviderKey]) {
            (self.given, self.kept) = (given, [])
            self.reader = ProviderTokenReader(keys: given, acceptsEveryKey: given.isEmpty)
        }

        /// - Throws: ``GatewayError`` naming the key that cannot be used with the others.
        init(given: [ProviderKey], kept: [ProviderKey]) throws {
            self.given = given
            self.kept = kept
            self.reader = ProviderTokenReader(keys: [])
            let keys = self.inForce
            try ProviderKey.checkIDs(given)
            try ProviderKey.checkApps(keys)
            try ProviderKey.checkOwners(of: given, among: keys)
            self.reader = ProviderTokenReader(keys: keys)
        }

        /// A stored key does not replace a configured one.
        var inForce: [ProviderKey] { self.given + self.kept.filter { !self.isGiven($0) } }

        func isGiven(_ key: ProviderKey) -> Bool { self.given.contains { $0.name == key.name } }
    }

    private let state: Mutex<State>
    private let store: (any ProviderKeyStore)?
    /// Grows with each change of the keys, so that cached results of earlier keys are not used.
    let generation = Atomic(0)

    /// - Throws: ``GatewayError`` naming the key that cannot be used with the others, or the store's error.
    init(_ keys: [ProviderKey], store: (any ProviderKeyStore)?) throws {
        self.store = store
        self.state = Mutex(try State(given: keys, kept: try store?.providerKeys() ?? []))
    }

    /// Creates the keyring of a mock; without keys, it accepts every key.
    init(ofMock keys: [ProviderKey]) {
        self.store = nil
        self.state = Mutex(State(ofMock: keys))
    }

    /// The reader of provider tokens for the present keys.
    var current: ProviderTokenReader { self.state.withLock { $0.reader } }

    /// The keys in force, as `TEAM:KEY`, sorted.
    var names: [String] { self.current.names }

    /// The keys in force: the configured ones, then the stored ones with other IDs.
    var inForce: [ProviderKey] { self.state.withLock { $0.inForce } }

    /// The warning about stored keys that are not in force; nil if all are.
    var warning: String? {
        self.state.withLock { state in state.kept.contains(where: state.isGiven) }
            ? "some added keys are not in force, because configured keys have the same IDs; `whereabouts gateway keys` shows which"
            : nil
    }

    /// All keys, and whether each is a stored one.
    var keys: [(key: ProviderKey, isKept: Bool)] {
        self.state.withLock { state in state.given.map { ($0, false) } + state.kept.map { ($0, true) } }
    }

    /// Replaces the configured keys.
    ///
    /// - Throws: ``GatewayError`` naming the key that cannot be used with the others.
    func exchange(_ keys: [ProviderKey]) throws {
        try self.state.withLock { $0 = try State(given: keys, kept: $0.kept) }
        self.generation.add(1, ordering: .releasing)
    }

    /// Adds a key to the store, replacing one with the same team and ID; it applies when this returns.
    ///
    /// - Returns: the replaced key, if any.
    /// - Throws: ``GatewayError`` naming the mistake, or the store's error; nothing has changed then.
    func add(_ key: ProviderKey) throws -> ProviderKey? {
        var before: ProviderKey?
        try self.change { given, kept, store in
            guard !given.contains(where: { $0.name == key.name }) else {
                throw GatewayError(.badKey, "\(key.name): was given with --key or --keys; change it there")
            }
            before = kept.first { $0.name == key.name }
            kept = (kept.filter { $0.name != key.name } + [key]).sorted { $0.name < $1.name }
            try ProviderKey.checkOwners(of: [key], among: given + kept)
            _ = try State(given: given, kept: kept)
            try store.put(key)
        }
        return before
    }

    /// Removes a key, or all keys of a team, from the store.
    ///
    /// - Returns: the names of matching configured keys, which stay in force.
    /// - Throws: ``GatewayError`` when no stored key matches, or the store's error; nothing has changed then.
    func remove(teamID: String, keyID: String?) throws -> [String] {
        func isMeant(_ key: ProviderKey) -> Bool { key.teamID == teamID && (keyID == nil || key.keyID == keyID) }
        var left: [String] = []
        try self.change { given, kept, store in
            left = given.filter(isMeant).map(\.name)
            guard try store.removeProviderKeys(teamID: teamID, keyID: keyID) else {
                let name = [teamID, keyID].compactMap(\.self).joined(separator: ":")
                throw GatewayError(
                    .badKey,
                    left.isEmpty ? "\(name): is not there" : "\(name): was given with --key or --keys; remove it there"
                )
            }
            kept.removeAll(where: isMeant)
        }
        return left
    }

    /// Changes the keys under the lock; otherwise two simultaneous changes could undo each other.
    private func change(_ body: ([ProviderKey], inout [ProviderKey], any ProviderKeyStore) throws -> Void) throws {
        guard let store = self.store else { throw GatewayError(.badKey, "this gateway has no store for keys") }
        try self.state.withLock { state in
            var kept = state.kept
            try body(state.given, &kept, store)
            state = try State(given: state.given, kept: kept)
        }
        self.generation.add(1, ordering: .releasing)
    }
}
