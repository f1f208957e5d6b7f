package import WhereaboutsVocabulary

/// The devices of one person (ADR 0083): each registers separately, and the device that the person chose last answers.
///
/// An answer does not name its device. So requests from before another device was chosen are marked as astray: the device that received
/// them may answer them, and is notified of no other requests.
extension Server {
    /// Actions returned by ``deviceRegistered(_:_:now:)``.
    package enum OnRegistered: Sendable, Hashable {
        /// Confirm that this registration, or a later one, is stored.
        case confirm
        /// Report that the person removed the device.
        case removed
        /// Report that the sharer has the maximum number of devices.
        case refuse
        /// Reply that the store is full, and that the message was not stored.
        case full
    }

    /// Stores the push address of a sharer's device, unless a later one is stored.
    package func deviceRegistered(
        _ registration: Verified<Registration>,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> Decision<OnRegistered> {
        let before = try store.registration(of: registration.value.sharer)
        let reply = try self.kept(registration.value, store, now: now)
        guard reply == .confirm, let before else { return Decision(reply: reply, effects: []) }
        return Decision(reply: reply, effects: try self.registrationChanged(from: before, store, now: now))
    }

    private func kept(
        _ registration: Registration,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> OnRegistered {
        let id = registration.device.id
        if let end = try store.removalEnd(of: id, of: registration.sharer) {
            // Extend the record of the removal while the device keeps trying to register; one write per half lifetime suffices.
            let lifetime = self.policy.registrationLifetime
            if now.duration(to: end) < lifetime / 2 {
                let removal = DeviceRemoval(device: id, sharer: registration.sharer)
                try store.put(removal, until: now.advanced(by: lifetime))
            }
            return .removed
        }
        let all = try store.registrations(of: registration.sharer)
        let known = all.filter { $0.isOfDevice(of: registration) }
        if known.contains(where: { $0.issued >= registration.issued }) { return .confirm }
        guard all.count - known.count < SharingPolicy.devicesPerSharerMax else { return .refuse }
        guard try store.room().has(roomFor: known.isEmpty ? .newRegistration : .registration) else { return .full }
        // Drop the old registration of a device that lost its file, and so has another ID now.
        for other in known where other.device.id != id { try store.drop(other) }
        try store.put(registration, at: now, until: now.advanced(by: self.policy.registrationLifetime))
        return .confirm
    }

    /// Updates the unfinished requests after another device was chosen or sharing was paused (ADR 0083).
    func registrationChanged(
        from before: Registration,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> [Effect] {
        guard let after = try store.registration(of: before.sharer) else { return [] }
        let isOther = after.device.id != before.device.id
        let isPaused = after.token.isEmpty && (isOther || !before.token.isEmpty)
        // The previous device may answer the requests that it received, and is notified of no others.
        if isOther { try store.strand(requestsTo: before.sharer) }
        guard isOther || isPaused else { return [] }
        return try self.changePending(of: before.sharer, store, now: now) { life, _ in
            if isPaused { return life.devicePaused(now: now) }
            // The push that the request waits for went to another device.
            life.wakeFailed(now: now)
            return []
        }
    }

    private func changePending(
        of sharer: PublicIdentity,
        _ store: any RequestStoreTransaction,
        now: WallTime,
        _ input: (_ life: inout RequestLife, _ isAstray: Bool) -> [RequestLife.Effect]
    ) throws -> [Effect] {
        let max = self.policy.pendingPerSharerMax + SharingPolicy.schedulesPerSharerMax
        return try store.pending(for: sharer, max: max).flatMap { pending -> [Effect] in
            // The end of one request may have changed another one.
            guard let record = try store.request(pending.request.value.id) else { return [] }
            return try self.change(record, store, now: now) { input(&$0, record.isAstray) }.effects
        }
    }

    /// Actions returned by ``deviceRemoved(_:_:now:)``.
    package enum OnRemoved: Sendable, Hashable {
        /// Say that the device is not registered any more.
        case confirm
        /// Say that the sharer does not have this device.
        case unknown
        /// Reply that the store is full, and that the message was not stored.
        case full
    }

    /// Deletes a device's registration, and records that the device must not register again.
    package func deviceRemoved(
        _ removal: Verified<DeviceRemoval>,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> Decision<OnRemoved> {
        let removal = removal.value
        let all = try store.registrations(of: removal.sharer)
        let wasAsked = try store.registration(of: removal.sharer)?.device.id == removal.device
        let reply = try self.kept(removal, store, now: now)
        // A repeated message changes nothing.
        guard reply == .confirm, all.contains(where: { $0.device.id == removal.device }) else {
            return Decision(reply: reply, effects: [])
        }
        if wasAsked { try store.strand(requestsTo: removal.sharer) }
        // End every request that the device may have received: the device must not answer any more.
        let effects = try self.changePending(of: removal.sharer, store, now: now) { life, isAstray in
            isAstray ? life.deviceRemoved(now: now) : []
        }
        // The device may be notified of its removal only minutes later, when it registers. Show no updates from it until then.
        try store.disown(strandedRequestsTo: removal.sharer)
        return Decision(reply: reply, effects: effects)
    }

    private func kept(
        _ removal: DeviceRemoval,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> OnRemoved {
        if try store.removalEnd(of: removal.device, of: removal.sharer) != nil { return .confirm }
        // Store nothing for devices that never registered; otherwise a stranger could fill the store with random IDs.
        let known = try store.registrations(of: removal.sharer).filter { $0.device.id == removal.device }
        guard !known.isEmpty else { return .unknown }
        guard try store.room().has(roomFor: .revocation) else { return .full }
        for registration in known { try store.drop(registration) }
        try store.put(removal, until: now.advanced(by: self.policy.registrationLifetime))
        return .confirm
    }

    /// Returns a sharer's registered devices, and which of them answers.
    package func devices(
        _ permit: Verified<DevicesPermit>,
        _ store: any RequestStoreView
    ) throws -> (all: [Registration], answering: Registration?) {
        let sharer = permit.value.sharer
        return (try store.registrations(of: sharer), try store.registration(of: sharer))
    }
}

extension RequestStoreView {
    /// Returns the registration of the device that answers for a sharer: the one chosen last.
    package func registration(of sharer: PublicIdentity) throws -> Registration? {
        try self.registrations(of: sharer).max { $0.precedence < $1.precedence }
    }
}

extension Registration {
    /// The sort key of a sharer's devices: the last device answers.
    fileprivate var precedence: (WallTime, UInt64, UInt64) {
        (self.device.chosen, self.device.id.high, self.device.id.low)
    }

    /// Whether two registrations are of one device: they have the same identifier, or the same token and topic.
    fileprivate func isOfDevice(of other: Registration) -> Bool {
        self.device.id == other.device.id
            || !self.token.isEmpty && self.token == other.token && self.topic == other.topic
    }
}
