internal import OrderedCollections
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The statements and questions of clients, and reports to the auditors; a reply of nil: the write failed, or the client came too soon.
extension ServerNode {
    func register(_ signed: Signed<Registration>, from address: AddressBlock) throws -> Server.OnRegistered? {
        guard let registration = ModelNotary.verified(signed) else { return nil }
        if self.lies(.withholds) { return .confirm }
        self.world.auditors.devices.registers(registration.value)
        var decided: Server.OnRegistered?
        let reply = try self.reply(to: .register(registration), from: address)
        if case .registered(let reply)? = reply { decided = reply } else { self.countTooSoon(reply) }
        try self.world.auditors.devices.registered(registration.value, decided, self.store.view)
        return decided
    }

    func remove(_ signed: Signed<DeviceRemoval>) throws -> Server.OnRemoved? {
        guard let removal = ModelNotary.verified(signed) else { return nil }
        if self.lies(.withholds) { return .confirm }
        self.world.auditors.devices.removes(removal.value)
        var decided: Server.OnRemoved?
        if case .removed(let reply)? = try self.reply(to: .remove(removal)) { decided = reply }
        try self.world.auditors.devices.removed(removal.value, decided, self.store.view)
        return decided
    }

    func devices(_ signed: Signed<DevicesPermit>) throws -> [Registration] {
        guard let permit = ModelNotary.verified(signed),
            case .devices(let all, _)? = try self.reply(to: .devices(permit))
        else { return [] }
        return all
    }

    func revoke(_ signed: Signed<Revocation>, from address: AddressBlock) throws -> Bool {
        guard let revocation = ModelNotary.verified(signed) else { return false }
        let reply = try self.reply(to: .revoke(revocation), from: address)
        guard reply == .revoked(.confirm) else {
            self.countTooSoon(reply)
            return false
        }
        self.world.auditors.requests.revoked(revocation.value.grant)
        self.world.auditors.disks.confirmed(revocation.value, by: self)
        return true
    }

    private func countTooSoon(_ reply: SharingCore.Reply?) {
        if case .tooSoon? = reply { self.world.census.add("a signed message comes too soon") }
    }

    func admit(_ signed: Signed<Request>) throws -> Server.OnRequest? {
        // A refusal does not say which rule the request broke.
        guard let verified = ModelNotary.verified(signed) else { return .refuse(.revoked) }
        let now = self.wall
        guard case .requested(let reply, _)? = try self.reply(to: .request(verified)) else { return nil }
        if reply == .accept { self.world.auditors.requests.admitted(signed, now: now) }
        switch reply {
        case .accept, .acceptAgain: self.world.auditors.disks.accepted(signed, by: self)
        case .full: self.world.census.add("the server has no room")
        case .conflict: self.world.census.add("a request has the ID of another one")
        case .refuse, .tooSoon: break
        }
        let isAccepted = reply == .accept || reply == .acceptAgain
        if !isAccepted, self.lies(.admits) { try self.pushAnyway(signed) }
        return reply
    }

    func report(_ signed: Signed<DeviceReport>) throws -> Server.OnReport? {
        guard let report = ModelNotary.verified(signed) else { return .unknown }
        guard case .reported(let reply)? = try self.reply(to: .report(report)) else { return nil }
        return reply
    }

    /// Accepts an answer; the server itself does not know the device, only the auditors do.
    func answer(_ signed: Signed<SealedAnswer>, by device: DeviceID?) throws -> Server.OnAnswer? {
        guard let answer = ModelNotary.verified(signed) else { return .unknown }
        let (id, auditor) = (signed.value.request, self.world.auditors.devices)
        let before = try self.store.view.request(id)?.answer
        guard case .answered(let reply)? = try self.reply(to: .answer(answer, bytes: signed.bytes)) else { return nil }
        if before == nil, try self.store.view.request(id)?.answer != nil { auditor.answered(signed.value, by: device) }
        guard case .deliver(let kind, let pending, let isNew) = reply else { return reply }
        if self.lies(.replays) {
            return .deliver(
                kind,
                pending: pending + self.store.requests.values.suffix(Self.replayedMax).map(\.request),
                isNew: isNew
            )
        }
        for request in pending { auditor.handed(request.value, after: id, to: device) }
        return reply
    }

    func update(_ signed: Signed<SealedUpdate>, by device: DeviceID?) throws -> SharingCore.Reply? {
        guard let update = ModelNotary.verified(signed) else { return .unknown }
        let reply = try self.reply(to: .update(update, bytes: signed.bytes))
        if case .shown? = reply { self.world.auditors.devices.shown(update.value, by: device) }
        return reply
    }

    /// Accepts the end of a live share.
    ///
    /// - Returns: whether the author need not send it again.
    func end(_ signed: Signed<FollowingEnd>) throws -> Bool {
        guard let end = ModelNotary.verified(signed) else { return true }
        let reply = try self.reply(to: .end(end, bytes: signed.bytes))
        if reply == .ended(.confirm) { self.world.auditors.followings.confirmed(end.value) }
        return reply == .ended(.confirm) || reply == .ended(.unknown)
    }

    func occurrences(_ permit: Signed<ReadPermit>, after occurrence: UInt16) throws -> [RequestRecord] {
        guard let permit = ModelNotary.verified(permit),
            case .occurrences(.occurrences(let occurrences, _, _, _))? = try self.reply(
                to: .occurrences(permit, after: occurrence)
            )
        else { return [] }
        return occurrences
    }
}
