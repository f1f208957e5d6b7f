internal import WhereaboutsLocationEngine
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Objects when a request goes to a device that the person did not choose last, as far as the server knows; when a
/// removed device is notified of a request, has an answer delivered, or sends anything after it knows of its removal;
/// when an old message has effect; when a device admits requests within a grant's least interval; and when a person is
/// not notified of an answer that a device gave.
///
/// Its account: the messages that the server confirmed, in the order of the confirmations. The rules are those of ADR
/// 0083:
///
/// - The server enforces the least interval of a grant for the person (``RequestAuditor``), and each device for itself.
///   Only the devices enforce the number of uses (``PrivacyAuditor``), each starting from the backup that it was restored from.
/// - A revocation holds at once on the device that made it, and everywhere once the server has it (``RequestAuditor``).
/// - A removed device may answer until the request expires, and send its position for ``SharingEngine/Enrolling/renewal`` at most, if its
///   app runs; the server delivers neither.
final class DeviceAuditor {
    /// A backup of a profile, with the auditor's account of it.
    struct Backup {
        let profile: Home
        fileprivate let lettings: [GrantID: [WallTime]]
        fileprivate let uses: [GrantID: Set<RequestDigest>]
    }

    /// The latest signed message of a device.
    private struct Known {
        var issued: WallTime
        var chosen: WallTime
        var token: [UInt8]
        var topic: String
        var key: [UInt8]
    }

    private struct Person {
        var devices: [DeviceID: Known] = [:]
        var removed: Set<DeviceID> = []

        var answering: DeviceID? {
            self.devices.max {
                ($0.value.chosen, $0.key.high, $0.key.low) < ($1.value.chosen, $1.key.high, $1.key.low)
            }?.key
        }
    }

    /// A signed message that the server is about to decide on.
    private enum Statement {
        case registration(Registration)
        case removal(DeviceRemoval)
    }

    private unowned let world: Simulation
    private var people: [PublicIdentity: Person] = [:]
    private var pending: Statement?
    /// The devices that were notified of a request since the server's disk was rolled back.
    private var told: [RequestID: Set<DeviceID>] = [:]
    private var wasRolledBack = false
    /// When each profile admitted requests under a grant, by its clock.
    private var lettings: [UInt64: [GrantID: [WallTime]]] = [:]
    /// The requests that each profile posted an answer to.
    private var posted: [UInt64: Set<RequestID>] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    private func object(_ request: Request, _ what: String) {
        self.world.fail("request \(self.world.number(of: request.id)) \(what)")
    }

    /// The device that a person chose last, as far as the server knows.
    func answering(for sharer: PublicIdentity) -> DeviceNode? {
        guard let id = self.people[sharer]?.answering else { return nil }
        return self.world.devices.first { $0.profiles.values.contains { $0.standing?.id == id } }
    }

    /// Whether the device that the server asks is gone: its profile was restored again, and its app has not registered since.
    func isGone(_ sharer: PublicIdentity) -> Bool {
        self.people[sharer]?.answering != nil && self.answering(for: sharer) == nil
    }

    // MARK: Statements

    /// The server is about to decide on a registration; a crash may leave it on disk, unconfirmed.
    func registers(_ registration: Registration) { self.pending = .registration(registration) }

    /// The server is about to decide on a removal.
    func removes(_ removal: DeviceRemoval) { self.pending = .removal(removal) }

    /// The server decided on a registration; nil: the write failed.
    func registered(_ registration: Registration, _ reply: Server.OnRegistered?, _ store: any RequestStoreView) throws {
        self.pending = nil
        let device = registration.device
        let isRemoved = self.people[registration.sharer]?.removed.contains(device.id) == true
        switch reply {
        case .confirm?:
            if isRemoved { return self.world.fail("the server registered a device that its person had removed") }
            self.apply(registration)
        case .removed?:
            if !isRemoved {
                return self.world.fail("the server says that a device is removed, but its person did not remove it")
            }
        case .refuse?, .full?, nil: break
        }
        try self.compare(registration.sharer, store)
    }

    /// The server decided on a removal; nil: the write failed.
    func removed(_ removal: DeviceRemoval, _ reply: Server.OnRemoved?, _ store: any RequestStoreView) throws {
        self.pending = nil
        if reply == .confirm { self.apply(removal) }
        try self.compare(removal.sharer, store)
    }

    private func apply(_ registration: Registration) {
        let device = registration.device
        var person = self.people[registration.sharer] ?? Person()
        let before = person.answering
        let same = person.devices.filter { id, known in
            id == device.id
                || !known.token.isEmpty && known.token == registration.token && known.topic == registration.topic
        }
        guard !same.values.contains(where: { $0.issued >= registration.issued }) else {
            return self.world.census.add("an old registration arrives late")
        }
        for id in same.keys { person.devices[id] = nil }
        person.devices[device.id] = Known(
            issued: registration.issued,
            chosen: device.chosen,
            token: registration.token,
            topic: registration.topic,
            key: device.pushKey
        )
        self.people[registration.sharer] = person
        if let before, before != person.answering { self.world.census.add("another device is chosen") }
    }

    private func apply(_ removal: DeviceRemoval) {
        self.world.census.add("a device is removed")
        self.people[removal.sharer, default: Person()].devices[removal.device] = nil
        self.people[removal.sharer, default: Person()].removed.insert(removal.device)
    }

    /// Compares the server's registrations with the account.
    private func compare(_ sharer: PublicIdentity, _ store: any RequestStoreView) throws {
        guard let person = self.people[sharer] else { return }
        let kept = try store.registrations(of: sharer).map(\.device.id)
        if kept.contains(where: person.removed.contains) {
            self.world.fail("the server keeps a device that its person removed")
        }
        if try store.registration(of: sharer)?.device.id != person.answering {
            self.world.fail("the server sends requests to another device than the one that its person chose last")
        }
        let astray = try store.pending(for: sharer).count(where: \.isAstray)
        if astray > 0 { self.world.census.add("requests are astray") }
    }

    /// The server restarts: the message that it was about to decide on may be on its disk.
    func serverStarted(_ store: ModelRequestStore) throws {
        defer { self.pending = nil }
        switch self.pending {
        case .registration(let registration):
            let kept = try store.view.registrations(of: registration.sharer)
            guard kept.contains(where: { $0 == registration }) else { return }
            self.apply(registration)
            try self.compare(registration.sharer, store.view)
        case .removal(let removal):
            guard try store.view.removalEnd(of: removal.device, of: removal.sharer) != nil else { return }
            self.apply(removal)
            try self.compare(removal.sharer, store.view)
        case nil: break
        }
    }

    /// The server's disk was rolled back: the server knows only the messages on it.
    func serverRolledBack(_ store: ModelRequestStore) {
        self.wasRolledBack = true
        self.told = [:]
        self.people = store.registrations.mapValues { all in
            var person = Person()
            for registration in all.map(\.registration) {
                let device = registration.device
                person.devices[device.id] = Known(
                    issued: registration.issued,
                    chosen: device.chosen,
                    token: registration.token,
                    topic: registration.topic,
                    key: device.pushKey
                )
            }
            return person
        }
        for (sharer, removals) in store.removals {
            self.people[sharer, default: Person()].removed.formUnion(removals.map(\.device))
        }
    }

    // MARK: Requests

    /// The server sends a push.
    func pushed(_ push: RequestPush) {
        let request = push.request.value
        guard let person = self.people[request.grant.value.sharer] else { return }
        guard let id = person.answering, person.devices[id]?.key == push.key else {
            return self.object(request, "was pushed to another device than the one that its person chose last")
        }
        self.told[request.id, default: []].insert(id)
        if self.told[request.id]?.count == 2 { self.world.census.add("two devices are asked") }
    }

    /// The server hands a request over to the device that answered another one.
    func handed(_ request: Request, after answered: RequestID, to device: DeviceID?) {
        // A disk that was rolled back does not contain which devices the server notified.
        if self.wasRolledBack, self.told[answered]?.contains(where: { $0 == device }) != true { return }
        guard let device, device == self.people[request.grant.value.sharer]?.answering else {
            return self.object(request, "was handed to a device that its person removed or no longer chooses")
        }
        self.world.census.add("a request is handed over")
        self.told[request.id, default: []].insert(device)
    }

    /// The server stored the answer of a device for delivery.
    func answered(_ answer: SealedAnswer, by device: DeviceID?) {
        guard let person = self.people[answer.sharer], let told = self.told[answer.request], let device else { return }
        let number = self.world.number(of: answer.request)
        guard told.contains(device) else {
            if !self.wasRolledBack {
                self.world.fail("request \(number) was answered by a device that had not received it")
            }
            return
        }
        if person.removed.contains(device) {
            self.world.fail("request \(number) was answered by a device that its person had removed")
        }
        if person.answering != device { self.world.census.add("a device that is no longer chosen answers") }
    }

    /// The server delivers an update of a device to its followers.
    func shown(_ update: SealedUpdate, by device: DeviceID?) {
        guard let device, self.told[update.request]?.contains(device) == true else { return }
        guard self.people[update.sharer]?.removed.contains(device) == true else { return }
        let number = self.world.number(of: update.request)
        self.world.fail("the live share of request \(number) shows a device that its person had removed")
    }

    // MARK: Devices

    /// A device is about to seal or post its position.
    func tells(_ device: DeviceNode, _ bundle: BundleID) {
        guard device.profile(of: bundle).standing?.isRemoved == true else { return }
        self.world.fail("\(device.id) sent a position after it learned that its person had removed it")
    }

    /// A device posts an answer, for the first time or again.
    func posted(_ answer: GivenAnswers.Undelivered, by device: DeviceNode, _ bundle: BundleID) {
        self.tells(device, bundle)
        self.posted[device.profile(of: bundle).number, default: []].insert(answer.request)
    }

    /// The run is over: people read the journal of each of their devices.
    func finished() {
        for device in self.world.devices {
            for profile in device.profiles.values {
                guard let posted = self.posted[profile.number] else { continue }
                let lines = profile.journal.enumerated().map { place, entry in
                    JournalLine(number: UInt64(place + 1), previous: [], sharer: profile.identity, entry: entry)
                }
                var telling = NoticeLog()
                var told: Set<RequestID> = []
                for case .answer(let request) in telling.looked(at: lines, now: device.sharingWall) {
                    told.insert(request.request)
                }
                if !posted.isSubset(of: told) {
                    return self.world.fail("\(device.id) gave answers that its person's report does not list")
                }
                self.world.census.add("a person reads the report of answers")
            }
        }
    }

    /// A device admits a request under a grant that has a least interval.
    func used(_ request: Request, on device: DeviceNode, _ bundle: BundleID, now: WallTime) {
        let grant = request.grant.value
        guard grant.intervalMin > 0, !self.world.hadWrongClock(device.id) else { return }
        let number = device.profile(of: bundle).number
        let times = self.lettings[number]?[grant.id] ?? []
        for (index, time) in times.enumerated() {
            let due = Duration.seconds(Int64(grant.intervalMin)) * (times.count - index)
            guard time.duration(to: now) < due - SharingPolicy().allowance else { continue }
            return self.object(request, "was admitted by \(device.id) sooner after the last one than its grant allows")
        }
        self.lettings[number, default: [:]][grant.id] = (times + [now]).suffix(20)
    }

    /// A profile is backed up.
    func backup(_ profile: Home) -> Backup {
        Backup(
            profile: profile,
            lettings: self.lettings[profile.number] ?? [:],
            uses: self.world.auditors.privacy.uses(of: profile)
        )
    }

    /// A profile was restored from a backup, with the account of that time.
    func restored(_ profile: Home, from backup: Backup) {
        self.lettings[profile.number] = backup.lettings
        self.world.auditors.privacy.restored(profile, with: backup.uses)
    }
}
