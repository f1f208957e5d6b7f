internal import OrderedCollections
internal import WhereaboutsAPNS
package import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The sharing server's store in memory: the simulated server's disk.
///
/// It passes the test suite of `SharingServer`'s stores.
package struct ModelRequestStore: Sendable {
    struct GrantKey: Sendable, Hashable {
        var sharer: PublicIdentity
        var grant: GrantID
    }

    struct Registered: Sendable {
        var registration: Registration
        let since: WallTime
        var end: WallTime
    }

    /// The devices of each sharer, in the order of their identifiers.
    var registrations: [PublicIdentity: [Registered]] = [:]
    /// Until when a device is remembered as removed, the newest last.
    var removals: [PublicIdentity: [(device: DeviceID, end: WallTime)]] = [:]
    var revocations: [GrantKey: WallTime] = [:]
    /// The date of each grant's `Pace`.
    var uses: [GrantKey: WallTime] = [:]
    var requests: OrderedDictionary<RequestID, RequestRecord> = [:]
    /// The date of the `Pace` of each sharer's pushes.
    var pushUses: [PublicIdentity: WallTime] = [:]
    var followings: [RequestID: FollowingRecord] = [:]
    var schedules: OrderedDictionary<RequestID, ScheduleRecord> = [:]
    var links: [LinkAddress: LinkedGrant] = [:]
    var linkUses: [LinkAddress: Int] = [:]
    /// The requests that have a deadline, by sharer, in the order they came.
    var unfinished: [PublicIdentity: OrderedSet<RequestID>] = [:]

    /// The maximum number of rows of all tables; strangers without a limit of their own would reach it within one storm.
    static let places = 2_000

    package init() {}

    /// Runs changes on a copy, as a store that answers over a network does.
    ///
    /// - Returns: what the changes returned, and the contents after them; nil when nothing changed.
    package func transaction<Value>(
        _ body: (any RequestStoreTransaction) throws -> Value
    ) throws -> (value: Value, changed: ModelRequestStore?) {
        let copy = ModelRequestTransaction(self)
        let transaction = PrefetchedTransaction(copy)
        let value = try body(transaction)
        _ = try copy.exchange(transaction.changes, [])
        return (value, copy.hasChanged ? copy.contents : nil)
    }

    /// Shows the contents as a store that answers over a network does.
    package func read<Value>(_ body: (any RequestStoreView) throws -> Value) rethrows -> Value {
        try body(PrefetchedTransaction(ModelRequestTransaction(self)))
    }

    func contains(_ id: RequestID) -> Bool { self.requests[id] != nil }

    /// The contents, for auditors.
    package var view: any RequestStoreView { ModelRequestTransaction(self) }

    fileprivate mutating func index(_ id: RequestID) {
        guard let record = self.requests[id] else { return }
        if record.life.deadline == nil {
            self.unfinished[record.sharer]?.remove(id)
        } else {
            self.unfinished[record.sharer, default: []].append(id)
        }
    }
}

/// The operations of a ``ModelRequestStore`` within one transaction: they change a copy.
private final class ModelRequestTransaction: RequestStoreTransaction, RemoteRequestStore {
    private(set) var contents: ModelRequestStore
    /// Whether anything was changed, so that something has to be written.
    private(set) var hasChanged = false

    init(_ contents: ModelRequestStore) {
        self.contents = contents
    }

    private func change(_ body: (inout ModelRequestStore) -> Void) {
        self.hasChanged = true
        body(&self.contents)
    }

    func exchange(
        _ changes: [RemoteRequestStore.Change],
        _ reads: [StoreRead]
    ) throws -> [StoreRead.Result] {
        for change in changes { try change(self) }
        return try reads.map { try self.result(of: $0) }
    }

    private static func key(_ grant: Grant) -> ModelRequestStore.GrantKey {
        ModelRequestStore.GrantKey(sharer: grant.sharer, grant: grant.id)
    }

    // MARK: Reads

    func request(_ id: RequestID) -> RequestRecord? { self.contents.requests[id] }

    func registrations(of sharer: PublicIdentity) -> [Registration] {
        (self.contents.registrations[sharer] ?? []).map(\.registration)
    }

    func registeredSince(_ sharer: PublicIdentity) -> WallTime? {
        self.contents.registrations[sharer]?.map(\.since).min()
    }

    func removalEnd(of device: DeviceID, of sharer: PublicIdentity) -> WallTime? {
        self.contents.removals[sharer]?.first { $0.device == device }?.end
    }

    func isRevoked(_ grant: GrantID, of sharer: PublicIdentity) -> Bool {
        self.contents.revocations[.init(sharer: sharer, grant: grant)] != nil
    }

    func revocationCount(of sharer: PublicIdentity, besides grant: GrantID) -> Int {
        self.contents.revocations.keys.count { $0.sharer == sharer && $0.grant != grant }
    }

    func paidUntil(under grant: Grant) -> WallTime? { self.contents.uses[Self.key(grant)] }

    func pushesPaidUntil(of sharer: PublicIdentity) -> WallTime? { self.contents.pushUses[sharer] }

    func pending(for sharer: PublicIdentity, max: Int) -> [RequestRecord] {
        let all = self.unfinished(for: sharer)
        let people = all.filter { $0.request.value.occurrence == 0 }
        let occurrences = all.filter { $0.request.value.occurrence > 0 }
        return Array((people + occurrences).prefix(max))
    }

    private func unfinished(for sharer: PublicIdentity) -> [RequestRecord] {
        (self.contents.unfinished[sharer] ?? []).compactMap { self.contents.requests[$0] }
    }

    func load(under grant: Grant) -> RequestLoad {
        let pending = self.unfinished(for: grant.sharer).filter { $0.request.value.occurrence == 0 }
        return RequestLoad(
            kept: self.contents.requests.values.count { $0.sharer == grant.sharer && $0.request.value.occurrence == 0 },
            pending: pending.count,
            pendingUnderGrant: pending.count { $0.request.value.grant.value.id == grant.id },
            otherGrantsInUse: self.contents.uses.keys.count { $0.sharer == grant.sharer && $0.grant != grant.id }
        )
    }

    func following(_ id: RequestID) -> FollowingRecord? { self.contents.followings[id] }

    func followingCount(of sharer: PublicIdentity, now: WallTime) -> Int {
        self.contents.followings.values.count { record in
            let request = record.request.value
            return record.end == nil && record.device != .removed && request.grant.value.sharer == sharer
                && request.followingEnd.map { $0 > now } ?? false
        }
    }

    func schedule(_ id: RequestID) -> ScheduleRecord? { self.contents.schedules[id] }

    func scheduleLoad(under grant: Grant) -> ScheduleLoad {
        let going = self.contents.schedules.values.filter { schedule in
            schedule.next != nil && schedule.request.value.grant.value.sharer == grant.sharer
        }
        return ScheduleLoad(
            ofSharer: going.count,
            underGrant: going.count { $0.request.value.grant.value.id == grant.id }
        )
    }

    func schedulesDue(now: WallTime, max: Int) -> [RequestID] {
        let due = self.contents.schedules.values.compactMap { schedule in
            schedule.next.flatMap { $0.time <= now ? (time: $0.time, name: "\(schedule.id)", id: schedule.id) : nil }
        }
        return due.sorted { ($0.time, $0.name) < ($1.time, $1.name) }.prefix(max).map(\.id)
    }

    func occurrences(of schedule: RequestID, after occurrence: UInt16, max: Int) -> [RequestRecord] {
        let occurrences = self.contents.requests.values.filter { record in
            let request = record.request.value
            return request.firstID == schedule && request.occurrence > occurrence
        }
        return Array(occurrences.sorted { $0.request.value.occurrence < $1.request.value.occurrence }.prefix(max))
    }

    func link(_ address: LinkAddress) -> LinkedGrant? { self.contents.links[address] }

    func useCount(of link: LinkAddress) -> Int { self.contents.linkUses[link] ?? 0 }

    func linkCount(of sharer: PublicIdentity) -> Int { self.contents.links.values.count { $0.sharer == sharer } }

    func room() -> StoreRoom {
        let contents = self.contents
        let used =
            contents.registrations.count + contents.revocations.count + contents.uses.count + contents.requests.count
            + contents.followings.count + contents.schedules.count + contents.pushUses.count + contents.links.count
        return StoreRoom(used: used, max: ModelRequestStore.places)
    }

    func due(now: WallTime, max: Int) -> [RequestID] {
        let due = self.contents.unfinished.values.joined().compactMap { id -> (deadline: WallTime, place: Int)? in
            guard let place = self.contents.requests.index(forKey: id) else { return nil }
            guard let deadline = self.contents.requests.values[place].life.deadline, deadline <= now else { return nil }
            return (deadline, place)
        }
        return due.sorted { $0 < $1 }.prefix(max).map { self.contents.requests.keys[$0.place] }
    }

    func nextDeadline() -> WallTime? {
        let deadlines = self.contents.unfinished.values.joined().compactMap {
            self.contents.requests[$0]?.life.deadline
        }
        return (deadlines + self.contents.schedules.values.compactMap { $0.next?.time }).min()
    }

    // MARK: Changes

    func put(_ registration: Registration, at now: WallTime, until end: WallTime) {
        self.change { contents in
            var all = contents.registrations[registration.sharer] ?? []
            let before = all.first { $0.registration.device.id == registration.device.id }
            all.removeAll { $0.registration.device.id == registration.device.id }
            all.append(.init(registration: registration, since: before?.since ?? now, end: end))
            all.sort { Self.order($0.registration) < Self.order($1.registration) }
            contents.registrations[registration.sharer] = all
        }
    }

    private static func order(_ registration: Registration) -> (UInt64, UInt64) {
        (registration.device.id.high, registration.device.id.low)
    }

    func drop(_ registration: Registration) {
        self.change { contents in
            contents.registrations[registration.sharer]?.removeAll {
                $0.registration.device.id == registration.device.id
            }
        }
    }

    func put(_ removal: DeviceRemoval, until end: WallTime) {
        self.change { contents in
            var all = contents.removals[removal.sharer] ?? []
            all.removeAll { $0.device == removal.device }
            all.append((removal.device, end))
            contents.removals[removal.sharer] = all.suffix(SharingPolicy.removedDevicesPerSharerMax)
        }
    }

    func put(_ revocation: Revocation) {
        let key = ModelRequestStore.GrantKey(sharer: revocation.sharer, grant: revocation.grant)
        guard self.contents.revocations[key] == nil else { return }
        self.change { $0.revocations[key] = revocation.notAfter }
    }

    func put(_ link: LinkedGrant) {
        self.change { contents in
            contents.links[link.address] = link
            contents.linkUses[link.address] = 0
        }
    }

    func countUse(of grant: Grant) {
        for link in self.contents.links.values where link.sharer == grant.sharer && link.grant == grant.id {
            self.change { $0.linkUses[link.address, default: 0] += 1 }
        }
    }

    func dropLinks(to grant: GrantID, of sharer: PublicIdentity) {
        guard self.contents.links.values.contains(where: { $0.sharer == sharer && $0.grant == grant }) else { return }
        self.change { $0.links = $0.links.filter { $0.value.sharer != sharer || $0.value.grant != grant } }
    }

    func insert(_ request: Signed<Request>, _ life: RequestLife) {
        let id = request.value.id
        precondition(self.request(id) == nil, "the engine accepted a request whose ID was accepted before")
        self.change { contents in
            contents.requests[id] = RequestRecord(request: request, life: life, answer: nil)
            contents.index(id)
        }
    }

    func put(paidUntil time: WallTime, under grant: Grant) {
        self.change { $0.uses[Self.key(grant)] = time }
    }

    func put(pushesPaidUntil time: WallTime, of sharer: PublicIdentity) {
        self.change { $0.pushUses[sharer] = time }
    }

    func put(_ schedule: ScheduleRecord) { self.change { $0.schedules[schedule.id] = schedule } }

    func dropOccurrences(of schedule: RequestID, through occurrence: UInt16) {
        self.change { contents in
            contents.requests.removeAll { entry in
                let request = entry.value.request.value
                return request.firstID == schedule && (1...occurrence).contains(request.occurrence)
                    && entry.value.life.deadline == nil
            }
        }
    }

    func put(_ life: RequestLife, of id: RequestID) {
        self.change { contents in
            contents.requests[id]?.life = life
            contents.index(id)
        }
    }

    func strand(requestsTo sharer: PublicIdentity) { self.move(requestsTo: sharer, from: .answering, to: .astray) }

    func disown(strandedRequestsTo sharer: PublicIdentity) {
        self.move(requestsTo: sharer, from: .astray, to: .removed)
    }

    private func move(requestsTo sharer: PublicIdentity, from before: ToldDevice, to device: ToldDevice) {
        self.change { contents in
            for (id, record) in contents.requests where record.sharer == sharer && record.device == before {
                contents.requests[id]?.device = device
            }
            contents.followings = contents.followings.mapValues { record in
                var record = record
                let isTheirs = record.request.value.grant.value.sharer == sharer
                if isTheirs, record.device == before { record.device = device }
                return record
            }
        }
    }

    func put(answer: [UInt8], to id: RequestID) { self.change { $0.requests[id]?.answer = answer } }

    func put(_ following: FollowingRecord) {
        self.change { $0.followings[following.request.value.id] = following }
    }

    func pause(_ token: DeviceToken, of sharer: PublicIdentity) throws {
        for known in self.contents.registrations[sharer] ?? [] where known.registration.token == token.bytes {
            self.put(known.registration.paused, at: known.since, until: known.end)
        }
    }

    /// Prunes everything at once, since a store in memory needs no portions.
    func prune(now: WallTime, max: Int) -> Bool {
        func isOver(_ record: RequestRecord) -> Bool { record.keptUntil <= now && record.life.deadline == nil }
        let contents = self.contents
        guard
            contents.requests.values.contains(where: isOver)
                || contents.registrations.values.contains(where: { $0.contains { $0.end <= now } || $0.isEmpty })
                || contents.removals.values.contains(where: { $0.contains { $0.end <= now } })
                || contents.revocations.values.contains(where: { $0 <= now })
                || contents.uses.values.contains(where: { $0 <= now })
                || contents.followings.values.contains(where: { $0.keptUntil <= now })
                || contents.schedules.values.contains(where: { $0.keptUntil <= now })
                || contents.pushUses.values.contains(where: { $0 <= now })
                || contents.links.values.contains(where: { $0.notAfter <= now })
        else { return false }
        self.change { contents in
            contents.requests.removeAll { isOver($0.value) }
            contents.registrations = contents.registrations.mapValues { $0.filter { $0.end > now } }
                .filter { !$0.value.isEmpty }
            contents.removals = contents.removals.mapValues { $0.filter { $0.end > now } }.filter { !$0.value.isEmpty }
            contents.revocations = contents.revocations.filter { $0.value > now }
            contents.uses = contents.uses.filter { $0.value > now }
            contents.followings = contents.followings.filter { $0.value.keptUntil > now }
            contents.schedules.removeAll { $0.value.keptUntil <= now }
            contents.pushUses = contents.pushUses.filter { $0.value > now }
            contents.links = contents.links.filter { $0.value.notAfter > now }
        }
        return false
    }
}
