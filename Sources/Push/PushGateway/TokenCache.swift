internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine

/// The recently used registered tokens: each push needs one, and most use the same.
///
/// The store alone changes what is on disk, and tells this first. After any failure all is forgotten, since what was undone
/// may have been read.
final class TokenCache: Sendable {
    /// The most tokens, about 4 MB; beyond that the cache is emptied.
    static let tokensMax = 16_384

    private let records = Mutex<[DeviceToken: TokenRecord]>([:])

    subscript(token: DeviceToken) -> TokenRecord? { self.records.withLock { $0[token] } }

    /// Remembers a record; dead tokens are left to the disk, which forgets the oldest of them.
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
