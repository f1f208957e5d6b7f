internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine

/// A cache of recently used registered tokens: each push needs one, and most pushes use the same ones.
///
/// Only the store changes tokens on disk, and it updates the cache before. After a failure the cache is emptied, because it
/// may contain changes that were undone.
final class TokenCache: Sendable {
    /// The maximum number of tokens, about 4 MB; beyond that the cache is emptied.
    static let tokensMax = 16_384

    private let records = Mutex<[DeviceToken: TokenRecord]>([:])

    subscript(token: DeviceToken) -> TokenRecord? { self.records.withLock { $0[token] } }

    /// Caches the record of a registered token; ended tokens are not cached, because the store deletes the oldest of them.
    func remember(_ record: TokenRecord) {
        guard record.unregisteredAt == nil else { return }
        self.records.withLock { records in
            if records.count >= Self.tokensMax { records.removeAll(keepingCapacity: true) }
            records[record.token] = record
        }
    }

    func forget(_ token: DeviceToken) {
        self.records.withLock { $0[token] = nil }
    }

    func forgetAll() {
        self.records.withLock { $0.removeAll(keepingCapacity: true) }
    }
}
