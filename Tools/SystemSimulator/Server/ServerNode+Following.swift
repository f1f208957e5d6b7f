internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Followings on the modelled server, as `SharingHost` and its routes carry them out.
extension ServerNode {
    /// The reply to an update.
    enum UpdateReply {
        case taken(isWatched: Bool)
        case over(FollowingEnd.Reason)
        /// The disk took nothing, or as many follow as may.
        case busy
    }

    /// One open stream of a following's updates.
    final class UpdateStream {
        let permit: ReadPermit
        var feed = FollowingFeed()
        /// The updates that were reported, for a server that tells one again.
        var before: [UInt8]?
        let tell: (FollowingFeed.OnLooked) -> Void

        init(_ permit: ReadPermit, _ tell: @escaping (FollowingFeed.OnLooked) -> Void) {
            self.permit = permit
            self.tell = tell
        }
    }

    /// Takes the update of a device.
    func update(_ signed: Signed<SealedUpdate>, by device: DeviceID?) throws -> UpdateReply {
        guard let update = ModelNotary.verified(signed) else { return .over(.lost) }
        let (id, now) = (update.value.request, self.wall)
        var decided = try self.engine.updateReceived(update, self.store.view, now: now)
        if decided == .begin {
            guard let begun = try self.transaction({ try self.engine.followingBegan(update, $0, now: now) }) else {
                return .busy
            }
            decided = begun
        }
        switch decided {
        case .show(let request):
            guard let end = request.value.followingEnd else { return .busy }
            let both = Now(monotonic: self.monotonic, wall: now)
            guard case .show(let isWatched) = self.board.updateCame(signed.bytes, of: id, until: end, now: both) else {
                return .busy
            }
            self.world.auditors.devices.shown(update.value, by: device)
            try self.publish(id)
            return .taken(isWatched: isWatched)
        case .close(let reason, _):
            self.board.ended(id)
            return .over(reason)
        case .unknown: return .over(.lost)
        case .begin, .tooMany, .full: return .busy
        }
    }

    func end(_ signed: Signed<FollowingEnd>) throws -> Bool {
        guard let end = ModelNotary.verified(signed) else { return true }
        let now = self.wall
        switch try self.decide({ try self.engine.followingEnded(end, bytes: signed.bytes, $0, now: now) }) {
        case .confirm?:
            self.board.ended(end.value.request)
            self.world.auditors.followings.confirmed(end.value)
            try self.publish(end.value.request)
            return true
        case .unknown?: return true
        case .full?, nil: return false
        }
    }

    /// Opens a stream of a following's updates, until it is finished or dropped with this life; nil when there is none for its author.
    func watch(
        _ signed: Signed<ReadPermit>,
        _ tell: @escaping (FollowingFeed.OnLooked) -> Void
    ) throws -> FollowingFeed.OnLooked? {
        guard let permit = ModelNotary.verified(signed) else { return nil }
        let id = permit.value.request
        guard let request = try self.store.view.following(id)?.request ?? self.store.view.request(id)?.request,
            let end = request.value.followingEnd
        else { return nil }
        let stream = UpdateStream(permit.value, tell)
        let looked = try self.look(stream)
        if case .tell = looked {
            self.updateStreams[id, default: []].append(stream)
            self.board.followerCame(to: id, until: end, now: self.wall)
            self.poll(id, stream)
        }
        return looked
    }

    private func look(_ stream: UpdateStream) throws -> FollowingFeed.OnLooked {
        let id = stream.permit.request
        let standing = try self.engine.standing(
            of: id,
            for: stream.permit.requester,
            as: .follower,
            self.store.view,
            now: self.wall
        )
        return stream.feed.looked(at: standing, self.board.newest(of: id))
    }

    /// A stream looks every few seconds, whatever it was woken for: so time and revocations reach it.
    private func poll(_ id: RequestID, _ stream: UpdateStream) {
        self.later(StateFeed.pollInterval) { [unowned self] in
            guard self.updateStreams[id]?.contains(where: { $0 === stream }) == true else { return }
            try self.show(stream)
            self.poll(id, stream)
        }
    }

    private func publish(_ id: RequestID) throws {
        for stream in self.updateStreams[id] ?? [] { try self.show(stream) }
    }

    private func show(_ stream: UpdateStream) throws {
        let looked = try self.look(stream)
        switch looked {
        case .tell(nil): return
        case .tell(let update?):
            // A liar keeps it to itself, or tells the one before again.
            if self.lies(.waits) { return }
            stream.tell(looked)
            if let before = stream.before, self.lies(.reorders) { stream.tell(.tell(before)) }
            stream.before = update
        case .finish, .close:
            let id = stream.permit.request
            self.updateStreams[id]?.removeAll { $0 === stream }
            self.board.followerLeft(id)
            stream.tell(looked)
        }
    }

    /// Shows the turns of a timer to its requester.
    func turns(_ permit: Signed<ReadPermit>, after turn: UInt16) throws -> [RequestRecord] {
        guard let permit = ModelNotary.verified(permit),
            case .turns(let turns, _, _, _) = try self.engine.turns(
                after: turn,
                of: permit,
                self.store.view,
                now: self.wall
            )
        else { return [] }
        return turns
    }

    /// The follower is gone, as the connection's end tells.
    func left(_ id: RequestID) {
        guard let streams = self.updateStreams.removeValue(forKey: id) else { return }
        for _ in streams { self.board.followerLeft(id) }
    }
}
