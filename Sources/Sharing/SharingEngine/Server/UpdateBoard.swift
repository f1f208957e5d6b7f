package import WhereaboutsVocabulary

/// The newest sealed update of each live share, and its number of watching followers; only in memory, because the next update comes soon.
package struct UpdateBoard: Sendable {
    /// The maximum number of live shares with a stored update.
    ///
    /// When all places are in use, live shares without a watching follower are removed.
    ///
    /// Source: our choice; as many as there are event streams, in 16 MB.
    package static let followingsMax = 10_000
    /// How many updates of a live share may come at once.
    ///
    /// Source: our choice; a device that was offline sends one update, but mobile networks deliver in bursts.
    package static let burst = 8
    /// The time until one more update is accepted.
    ///
    /// Source: our choice; half of ``FollowingPace/step``.
    package static let interval: Duration = .milliseconds(500)
    /// How long a live share counts as watched after another server reported a follower.
    ///
    /// Source: our choice; three times the interval of these reports, ``EventStreams/pollInterval``.
    package static let watchedElsewhere: Duration = .seconds(15)

    /// An update, and its number on this board.
    package struct Shown: Sendable, Hashable {
        package let update: [UInt8]
        /// The number of the update among those of its live share, from 1.
        package let place: UInt64
        /// Whether the device sent it to another server.
        package var isFromElsewhere = false
    }

    private struct Entry: Sendable {
        var shown: Shown?
        var allowance = GCRA(burst: UpdateBoard.burst, every: UpdateBoard.interval)
        var until: WallTime
        var followers = 0
    }

    private var entries: [RequestID: Entry] = [:]
    /// Until when the live shares with a follower at another server count as watched.
    private var elsewhere: [RequestID: EngineInstant] = [:]

    /// Creates a board without updates.
    package init() {}

    /// Returns the newest update of a live share, if there is one.
    package func newest(of id: RequestID) -> Shown? { self.entries[id]?.shown }

    /// Actions returned by ``updateCame(_:of:until:now:)``.
    package enum OnUpdate: Sendable, Hashable {
        /// Wake the watching streams, and report to the device whether there are any.
        case show(isWatched: Bool)
        /// Say that the next update is accepted after this time.
        case tooSoon(after: Duration)
        /// Reply that the server already has the maximum number of live shares.
        case full
    }

    /// Stores an update in place of the previous one.
    ///
    /// - Parameters:
    ///   - update: the signed update.
    ///   - id: the ID of the live share.
    ///   - until: the time after which no stream reads the update.
    ///   - now: the time.
    /// - Returns: what to do.
    package mutating func updateCame(
        _ update: [UInt8],
        of id: RequestID,
        until: WallTime,
        now: Now
    ) -> OnUpdate {
        guard var entry = self.entry(id, until: until, now: now.wall) else { return .full }
        guard entry.allowance.take(now: now.monotonic) else {
            self.entries[id] = entry
            return .tooSoon(after: Self.interval)
        }
        entry.shown = Shown(update: update, place: (entry.shown?.place ?? 0) + 1)
        self.entries[id] = entry
        return .show(isWatched: entry.followers > 0 || self.isWatchedElsewhere(id, now: now.monotonic))
    }

    package mutating func followerCame(to id: RequestID, until: WallTime, now: WallTime) {
        guard var entry = self.entry(id, until: until, now: now) else { return }
        entry.followers += 1
        self.entries[id] = entry
    }

    /// Records that a follower stopped watching.
    package mutating func followerLeft(_ id: RequestID) {
        self.entries[id].map { self.entries[id]?.followers = max(0, $0.followers - 1) }
    }

    /// Records that another server has a follower of a live share.
    mutating func followerIsElsewhere(_ id: RequestID, now: EngineInstant) {
        if self.elsewhere.count >= Self.followingsMax { self.elsewhere = self.elsewhere.filter { $0.value > now } }
        guard self.elsewhere.count < Self.followingsMax || self.elsewhere[id] != nil else { return }
        self.elsewhere[id] = now.advanced(by: Self.watchedElsewhere)
    }

    func isWatchedElsewhere(_ id: RequestID, now: EngineInstant) -> Bool {
        self.elsewhere[id].map { $0 > now } ?? false
    }

    /// Stores an update that the device sent to another server, in place of the previous one.
    ///
    /// - Returns: whether it is new, and a follower watches here.
    mutating func updateCameElsewhere(_ update: [UInt8], of id: RequestID) -> Bool {
        // Followers report the same update twice as a fault of the server.
        guard let entry = self.entries[id], entry.shown?.update != update else { return false }
        let place = (entry.shown?.place ?? 0) + 1
        self.entries[id]?.shown = Shown(update: update, place: place, isFromElsewhere: true)
        return entry.followers > 0
    }

    /// Forgets a live share that is over.
    package mutating func ended(_ id: RequestID) { self.entries[id] = nil }

    private mutating func entry(_ id: RequestID, until: WallTime, now: WallTime) -> Entry? {
        if let known = self.entries[id] { return known }
        if self.entries.count >= Self.followingsMax { self.entries = self.entries.filter { $0.value.until > now } }
        // If expired live shares made no room, drop those without a watching stream: a later follower gets the next update.
        if self.entries.count >= Self.followingsMax { self.entries = self.entries.filter { $0.value.followers > 0 } }
        return self.entries.count < Self.followingsMax ? Entry(until: until) : nil
    }
}
