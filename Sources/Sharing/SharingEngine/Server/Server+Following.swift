package import WhereaboutsVocabulary

/// Live shares: who may send updates and who may read them.
///
/// The server cannot read the updates.
extension Server {
    /// Returns the state of a live share, for the device that sends its updates and for the follower.
    ///
    /// The end by time or by revocation is not stored, but computed each time, so that a crash cannot lose it. A live share of
    /// a removed device has ended, too, without a message from that device. No live share begins after its request ended
    /// without an answer, because it would have no follower.
    package func standing(
        of id: RequestID,
        for person: PublicIdentity,
        as side: FollowingSide,
        _ store: any RequestStoreView,
        now: WallTime
    ) throws -> LiveShareState {
        let (record, asked) = (try store.following(id), try store.request(id))
        guard let request = (record?.request ?? asked?.request)?.value, request.followMinutes != nil
        else { return .unknown }
        let grant = request.grant.value
        let isTheirs =
            switch side {
            case .sharer: grant.sharer == person
            case .follower: grant.requester == person
            }
        guard isTheirs else { return .unknown }
        if let end = record?.end { return .ended(end.reason, statement: end.statement) }
        if record?.device ?? asked?.device == .removed { return .ended(.bySharer, statement: nil) }
        if record == nil, asked?.life.hasEndedUnanswered == true { return .ended(.lost, statement: nil) }
        let fault = request.followingFault(isRevoked: try store.isRevoked(grant), now: now)
        return fault.map { .ended($0, statement: nil) } ?? .goesOn
    }

    /// Actions returned by ``updateReceived(_:_:now:)`` and ``followingBegan(_:_:now:)``.
    package enum OnUpdate: Sendable, Hashable {
        /// Show the update to the followers with this request.
        case show(Signed<Request>)
        /// This is the first update: run ``Server/followingBegan(_:_:now:)`` in a transaction.
        case begin
        /// Say that the live share is over.
        case close(FollowingEnd.Reason, statement: [UInt8]?)
        /// Say that the sharer has no such live share.
        case unknown
        /// Say that the sharer has the maximum number of followers.
        case tooMany
        /// Reply that the store is full, and that the message was not stored.
        case full
    }

    /// Decides about a device's update.
    package func updateReceived(
        _ update: Verified<SealedUpdate>,
        _ store: any RequestStoreView,
        now: WallTime
    ) throws -> OnUpdate {
        let update = update.value
        switch try self.standing(of: update.request, for: update.sharer, as: .sharer, store, now: now) {
        case .unknown: return .unknown
        case .ended(let reason, let statement): return .close(reason, statement: statement)
        case .goesOn:
            return try store.following(update.request).map { .show($0.request) } ?? .begin
        }
    }

    /// Stores a live share from its first update for as long as it may last, and until its end was reported.
    package func followingBegan(
        _ update: Verified<SealedUpdate>,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> OnUpdate {
        let decided = try self.updateReceived(update, store, now: now)
        guard decided == .begin else { return decided }
        guard let asked = try store.request(update.value.request), let end = asked.request.value.followingEnd else {
            return .unknown
        }
        guard try store.followingCount(of: update.value.sharer, now: now) < Following.followersMax else {
            return .tooMany
        }
        guard try store.room().has(roomFor: .request) else { return .full }
        try store.put(
            FollowingRecord(
                request: asked.request,
                end: nil,
                keptUntil: end.advanced(by: FollowingRecord.endKept),
                device: asked.device
            )
        )
        return .show(asked.request)
    }

    /// Actions returned by ``followingEnded(_:bytes:_:now:)``.
    package enum OnFollowingEnded: Sendable, Hashable {
        /// Reply that the live share or schedule has ended, and notify the open streams of its end.
        case confirm
        /// Reply that the author has no live share or schedule with this ID.
        case unknown
        /// Reply that the store is full, and that the message was not stored.
        case full
    }

    /// Stores the signed end of a live share or a schedule, even before it begins.
    ///
    /// The first end counts.
    ///
    /// The requester may end a request that has no answer.
    package func followingEnded(
        _ end: Verified<FollowingEnd>,
        bytes: [UInt8],
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> Decision<OnFollowingEnded> {
        let left = try self.requesterLeft(end.value, store, now: now)
        let kept = try self.endKept(end.value, bytes: bytes, store, now: now)
        // A request for a single answer needs no row.
        return Decision(reply: kept == .unknown && left != nil ? .confirm : kept, effects: left ?? [])
    }

    /// Ends a request that its requester withdraws; nil when it belongs to another requester.
    private func requesterLeft(
        _ end: FollowingEnd,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> [Effect]? {
        guard end.reason == .byFollower, let record = try store.request(end.request), end.isOf(record.request.value)
        else { return nil }
        return try self.change(record, store, now: now) { $0.requesterLeft(now: now) }.effects
    }

    private func endKept(
        _ end: FollowingEnd,
        bytes: [UInt8],
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> OnFollowingEnded {
        let confirmed = try self.scheduleEnded(end, bytes: bytes, store, now: now)
        guard confirmed == .unknown else { return confirmed }
        let record = try store.following(end.request)
        guard let request = try record?.request ?? store.request(end.request)?.request,
            request.value.followMinutes != nil, end.isOf(request.value)
        else { return .unknown }
        if record?.end != nil { return .confirm }
        // The end of a stored live share replaces its row. Any other end is a new row; it withdraws consent, so it is accepted
        // like a revocation.
        guard try record != nil || store.room().has(roomFor: .revocation) else { return .full }
        try store.put(
            FollowingRecord(
                request: request,
                end: .init(reason: end.reason, statement: bytes),
                keptUntil: now.advanced(by: FollowingRecord.endKept)
            )
        )
        return .confirm
    }
}
