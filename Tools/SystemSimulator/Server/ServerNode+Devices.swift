internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The devices of people on the modelled server, as `SharingHost` and its routes carry them out.
extension ServerNode {
    /// Takes a registration; nil when it is forged, comes too soon, or the disk took nothing.
    func register(_ signed: Signed<Registration>, from address: AddressBlock) throws -> Server.OnRegistered? {
        guard let registration = ModelNotary.verified(signed) else { return nil }
        let now = self.wall
        let isKnown = try self.engine.knows(registration.value.sharer, self.store.view)
        let place = self.rateLimiter.registrationReceived(isKnown: isKnown, from: address, now: self.monotonic)
        guard self.isAdmitted(place) else { return nil }
        if self.lies(.withholds) { return .confirm }
        self.world.auditors.devices.registers(registration.value)
        let reply = try self.decide { try self.engine.deviceRegistered(registration, $0, now: now) }
        try self.world.auditors.devices.registered(registration.value, reply, self.store.view)
        return reply
    }

    /// Takes a removal; nil when it is forged, or the disk took nothing.
    func remove(_ signed: Signed<DeviceRemoval>) throws -> Server.OnRemoved? {
        guard let removal = ModelNotary.verified(signed) else { return nil }
        let now = self.wall
        if self.lies(.withholds) { return .confirm }
        self.world.auditors.devices.removes(removal.value)
        let reply = try self.decide { try self.engine.deviceRemoved(removal, $0, now: now) }
        try self.world.auditors.devices.removed(removal.value, reply, self.store.view)
        return reply
    }

    /// Lists the devices of a person.
    func devices(_ signed: Signed<DevicesPermit>) throws -> [Registration] {
        guard let permit = ModelNotary.verified(signed) else { return [] }
        return try self.engine.devices(permit, self.store.view).all
    }

    /// Takes an answer from a device, of which the server does not know which one it is; nil when the disk took nothing.
    func answer(_ signed: Signed<SealedAnswer>, by device: DeviceID?) throws -> Server.OnAnswer? {
        let id = signed.value.request
        let before = try self.store.view.request(id)?.answer
        let reply = try self.answer(signed)
        let after = try self.store.view.request(id)?.answer
        let auditor = self.world.auditors.devices
        if before == nil, after != nil { auditor.answered(signed.value, by: device) }
        if case .deliver(_, let pending)? = reply, !self.lies(.replays) {
            for request in pending { auditor.handed(request.value, after: id, to: device) }
        }
        return reply
    }
}
