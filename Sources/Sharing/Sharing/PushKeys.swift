internal import WhereaboutsVocabulary

/// The keys that open a device's pushes: each day a new key, while the previous one is kept for another hour.
///
/// A stolen key opens the pushes of a day or two. The server seals to the key of the last registration that it received; until the
/// device knows that a registration arrived, it keeps both keys.
struct PushKeys: Sendable, Hashable {
    /// A key, and when the server confirmed it.
    struct Entry: Sendable, Hashable {
        let key: RequestKey
        fileprivate(set) var registered: WallTime?

        init(key: RequestKey, registered: WallTime? = nil) {
            self.key = key
            self.registered = registered
        }
    }

    /// How long a key is used after the server confirmed it.
    ///
    /// Source: our choice; limits what a stolen file exposes.
    static let lifetime: Duration = .seconds(86_400)
    /// How long the previous key still opens pushes in flight.
    ///
    /// Source: our choice. The gateway stores a push while its request lives, at most 10 minutes. A schedule lives for up to 31 days, but
    /// the server seals a new push for each occurrence.
    static let overlap: Duration = .seconds(3600)

    /// The keys, the newest last; one or two.
    private(set) var entries: [Entry]

    init(_ key: RequestKey) { self.entries = [Entry(key: key)] }

    /// Restores stored keys; nil unless there are one or two.
    init?(restoring entries: [Entry]) {
        guard (1...2).contains(entries.count) else { return nil }
        self.entries = entries
    }

    /// The key that registrations name.
    var newest: RequestKey { self.entries[self.entries.count - 1].key }

    /// Whether the server has confirmed a registration that names the newest key.
    var isConfirmed: Bool { self.entries[self.entries.count - 1].registered != nil }

    /// The keys that open pushes, the newest first.
    func opening(now: WallTime) -> [RequestKey] {
        let isOver = self.sinceRegistered(now).map { $0 >= Self.overlap } ?? false
        return isOver ? [self.newest] : self.entries.reversed().map(\.key)
    }

    /// Deletes the previous key after its hour, and creates another one when the newest has been used for a day.
    mutating func renew(now: WallTime, _ make: () throws -> RequestKey) rethrows {
        guard let age = self.sinceRegistered(now) else { return }
        if age >= Self.overlap { self.entries.removeFirst(self.entries.count - 1) }
        // A clock that was set back must not extend the lifetime of a key.
        guard age >= Self.lifetime || age <= .zero - Self.lifetime else { return }
        self.entries = [self.entries[self.entries.count - 1], Entry(key: try make())]
    }

    /// Records that the server has a registration that names a key.
    mutating func registered(_ publicKey: [UInt8], now: WallTime) {
        let last = self.entries.count - 1
        guard self.entries[last].key.publicKey == publicKey, self.entries[last].registered == nil else { return }
        self.entries[last].registered = now.wholeMilliseconds
    }

    private func sinceRegistered(_ now: WallTime) -> Duration? {
        self.entries[self.entries.count - 1].registered?.duration(to: now)
    }
}
