internal import Synchronization

/// The keys that may sign provider tokens now; they can be exchanged while providers are connected.
final class ProviderKeyring: Sendable {
    private let reader: Mutex<ProviderTokenReader>
    /// Grows with each exchange, so that a verdict by earlier keys is known as one.
    let generation = Atomic(0)

    init(_ keys: [ProviderKey]) {
        self.reader = Mutex(ProviderTokenReader(keys: keys))
    }

    /// Reads provider tokens by the keys of this moment.
    var current: ProviderTokenReader { self.reader.withLock { $0 } }

    /// The keys in force, as `TEAM:KEY`, in their order.
    var names: [String] { self.current.names }

    /// Takes other keys in place of those before.
    func exchange(_ keys: [ProviderKey]) {
        self.reader.withLock { $0 = ProviderTokenReader(keys: keys) }
        self.generation.add(1, ordering: .releasing)
    }
}
