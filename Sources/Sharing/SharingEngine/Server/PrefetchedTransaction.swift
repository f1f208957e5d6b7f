package import WhereaboutsAPNS
package import WhereaboutsVocabulary

/// A store that answers over a network: each call costs a round trip.
package protocol RemoteRequestStore {
    /// A change that waits to be sent.
    typealias Change = (any RequestStoreChanges) throws -> Void

    /// Makes the changes in their order, then does the reads.
    func exchange(_ changes: [Change], _ reads: [StoreRead]) throws -> [StoreRead.Result]

    /// See ``RequestStoreTransaction/prune(now:max:)``.
    func prune(now: WallTime, max: Int) throws -> Bool
}

/// A transaction of a store that answers over a network, in as few round trips as possible (ADR 0125).
///
/// Reads come from what was prefetched. Changes are collected, and the store sends ``changes`` with its commit. The
/// transaction sees its own changes: those of a request's life are made in the prefetched records, too, and any other
/// change forgets the results that it may alter. A read that was not prefetched, or was forgotten, is one more round
/// trip, which sends the changes first. So a read that was not announced costs time, but never changes a decision.
package final class PrefetchedTransaction: RequestStoreTransaction {
    /// A store returned the result of another read.
    private struct WrongResult: Error {}

    private let store: any RemoteRequestStore
    private var results: [StoreRead: StoreRead.Result] = [:]
    /// The changes that were not sent yet.
    package private(set) var changes: [RemoteRequestStore.Change] = []
    /// The number of round trips so far; the commit is one more.
    package private(set) var roundTrips = 0

    /// Begins a transaction that has read nothing.
    package init(_ store: any RemoteRequestStore) {
        self.store = store
    }

    package func prefetch(_ reads: @autoclosure () throws -> [StoreRead]) throws {
        var known = Set(self.results.keys)
        let missing = try reads().filter { known.insert($0).inserted }
        guard !missing.isEmpty else { return }
        for (read, result) in zip(missing, try self.exchange(missing)) {
            self.results[read] = result
            guard case .requests(let records) = result else { continue }
            for record in records { self.results[.request(record.request.value.id)] = .request(record) }
        }
    }

    private func exchange(_ reads: [StoreRead]) throws -> [StoreRead.Result] {
        self.roundTrips += 1
        let results = try self.store.exchange(self.changes, reads)
        self.changes = []
        return results
    }

    private func result(_ read: StoreRead) throws -> StoreRead.Result {
        if self.results[read] == nil { try self.prefetch([read]) }
        guard let result = self.results[read] else { throw WrongResult() }
        return result
    }

    // MARK: Reads

    private func time(_ read: StoreRead) throws -> WallTime? {
        guard case .time(let time) = try self.result(read) else { throw WrongResult() }
        return time
    }

    private func count(_ read: StoreRead) throws -> Int {
        guard case .count(let count) = try self.result(read) else { throw WrongResult() }
        return count
    }

    private func ids(_ read: StoreRead) throws -> [RequestID] {
        guard case .ids(let ids) = try self.result(read) else { throw WrongResult() }
        return ids
    }

    private func requests(_ read: StoreRead) throws -> [RequestRecord] {
        guard case .requests(let records) = try self.result(read) else { throw WrongResult() }
        return records
    }

    package func request(_ id: RequestID) throws -> RequestRecord? {
        guard case .request(let record) = try self.result(.request(id)) else { throw WrongResult() }
        return record
    }

    package func registrations(of sharer: PublicIdentity) throws -> [Registration] {
        guard case .registrations(let all) = try self.result(.registrations(of: sharer)) else { throw WrongResult() }
        return all
    }

    package func registeredSince(_ sharer: PublicIdentity) throws -> WallTime? {
        try self.time(.registeredSince(sharer))
    }

    package func removalEnd(of device: DeviceID, of sharer: PublicIdentity) throws -> WallTime? {
        try self.time(.removalEnd(device, of: sharer))
    }

    package func isRevoked(_ grant: GrantID, of sharer: PublicIdentity) throws -> Bool {
        guard case .flag(let flag) = try self.result(.isRevoked(grant, of: sharer)) else { throw WrongResult() }
        return flag
    }

    package func revocationCount(of sharer: PublicIdentity, besides grant: GrantID) throws -> Int {
        try self.count(.revocationCount(of: sharer, besides: grant))
    }

    package func paidUntil(under grant: Grant) throws -> WallTime? { try self.time(.paidUntil(under: grant)) }

    package func pushesPaidUntil(of sharer: PublicIdentity) throws -> WallTime? {
        try self.time(.pushesPaidUntil(of: sharer))
    }

    package func pending(for sharer: PublicIdentity, max: Int) throws -> [RequestRecord] {
        try self.requests(.pending(for: sharer, max: max))
    }

    package func load(under grant: Grant) throws -> RequestLoad {
        guard case .load(let load) = try self.result(.load(under: grant)) else { throw WrongResult() }
        return load
    }

    package func following(_ id: RequestID) throws -> FollowingRecord? {
        guard case .following(let record) = try self.result(.following(id)) else { throw WrongResult() }
        return record
    }

    package func followingCount(of sharer: PublicIdentity, now: WallTime) throws -> Int {
        try self.count(.followingCount(of: sharer, now: now))
    }

    package func schedule(_ id: RequestID) throws -> ScheduleRecord? {
        guard case .schedule(let record) = try self.result(.schedule(id)) else { throw WrongResult() }
        return record
    }

    package func scheduleLoad(under grant: Grant) throws -> ScheduleLoad {
        guard case .scheduleLoad(let load) = try self.result(.scheduleLoad(under: grant)) else { throw WrongResult() }
        return load
    }

    package func schedulesDue(now: WallTime, max: Int) throws -> [RequestID] {
        try self.ids(.schedulesDue(now: now, max: max))
    }

    package func occurrences(of schedule: RequestID, after occurrence: UInt16, max: Int) throws -> [RequestRecord] {
        try self.requests(.occurrences(of: schedule, after: occurrence, max: max))
    }

    package func link(_ address: LinkAddress) throws -> LinkedGrant? {
        guard case .link(let link) = try self.result(.link(address)) else { throw WrongResult() }
        return link
    }

    package func useCount(of link: LinkAddress) throws -> Int { try self.count(.useCount(of: link)) }

    package func linkCount(of sharer: PublicIdentity) throws -> Int { try self.count(.linkCount(of: sharer)) }

    package func room() throws -> StoreRoom {
        guard case .room(let room) = try self.result(.room) else { throw WrongResult() }
        return room
    }

    package func due(now: WallTime, max: Int) throws -> [RequestID] { try self.ids(.due(now: now, max: max)) }

    package func nextDeadline() throws -> WallTime? { try self.time(.nextDeadline) }

    // MARK: Changes

    /// Collects a change, and forgets the results that it may alter.
    private func add(_ change: @escaping RemoteRequestStore.Change, forgetting isAltered: (StoreRead) -> Bool) {
        self.changes.append(change)
        for read in self.results.keys where isAltered(read) { self.results[read] = nil }
    }

    /// Collects a change of one request, and makes it in the prefetched records.
    private func add(
        _ change: @escaping RemoteRequestStore.Change,
        of id: RequestID,
        _ edit: (inout RequestRecord) -> Void
    ) {
        self.add(change) { read in
            switch read {
            case .load, .occurrences, .due, .nextDeadline: true
            default: false
            }
        }
        for (read, result) in self.results {
            switch (read, result) {
            case (.request(id), .request(var record?)):
                edit(&record)
                self.results[read] = .request(record)
            case (.pending(_, let max), .requests(var records)):
                guard let place = records.firstIndex(where: { $0.request.value.id == id }) else { continue }
                edit(&records[place])
                if records[place].life.deadline == nil { records.remove(at: place) }
                // The list may have left out a request that now has a place.
                self.results[read] = records.count == max - 1 ? nil : .requests(records)
            default: continue
            }
        }
    }

    package func put(_ registration: Registration, at now: WallTime, until end: WallTime) {
        self.addDevice(of: registration.sharer) { try $0.put(registration, at: now, until: end) }
    }

    package func drop(_ registration: Registration) {
        self.addDevice(of: registration.sharer) { try $0.drop(registration) }
    }

    package func pause(_ token: DeviceToken, of sharer: PublicIdentity) {
        self.addDevice(of: sharer) { try $0.pause(token, of: sharer) }
    }

    private func addDevice(of sharer: PublicIdentity, _ change: @escaping RemoteRequestStore.Change) {
        self.add(change) { $0 == .registrations(of: sharer) || $0 == .registeredSince(sharer) }
    }

    package func put(_ removal: DeviceRemoval, until end: WallTime) {
        self.add({ try $0.put(removal, until: end) }) { if case .removalEnd = $0 { true } else { false } }
    }

    package func put(_ revocation: Revocation) {
        self.add({ try $0.put(revocation) }) { read in
            switch read {
            case .isRevoked, .revocationCount: true
            default: false
            }
        }
    }

    package func put(_ link: LinkedGrant) { self.addLink { try $0.put(link) } }

    package func countUse(of grant: Grant) { self.addLink { try $0.countUse(of: grant) } }

    package func dropLinks(to grant: GrantID, of sharer: PublicIdentity) {
        self.addLink { try $0.dropLinks(to: grant, of: sharer) }
    }

    private func addLink(_ change: @escaping RemoteRequestStore.Change) {
        self.add(change) { read in
            switch read {
            case .link, .useCount, .linkCount: true
            default: false
            }
        }
    }

    package func insert(_ request: Signed<Request>, _ life: RequestLife) {
        self.addRequests { try $0.insert(request, life) }
    }

    package func strand(requestsTo sharer: PublicIdentity) {
        self.addRequests { try $0.strand(requestsTo: sharer) }
    }

    package func disown(strandedRequestsTo sharer: PublicIdentity) {
        self.addRequests { try $0.disown(strandedRequestsTo: sharer) }
    }

    package func dropOccurrences(of schedule: RequestID, through occurrence: UInt16) {
        self.addRequests { try $0.dropOccurrences(of: schedule, through: occurrence) }
    }

    private func addRequests(_ change: @escaping RemoteRequestStore.Change) {
        self.add(change) { read in
            switch read {
            case .request, .pending, .load, .following, .followingCount, .occurrences, .due, .nextDeadline: true
            default: false
            }
        }
    }

    package func put(paidUntil time: WallTime, under grant: Grant) {
        self.add({ try $0.put(paidUntil: time, under: grant) }) { read in
            switch read {
            case .paidUntil, .load: true
            default: false
            }
        }
    }

    package func put(pushesPaidUntil time: WallTime, of sharer: PublicIdentity) {
        self.add({ try $0.put(pushesPaidUntil: time, of: sharer) }) { $0 == .pushesPaidUntil(of: sharer) }
    }

    package func put(_ life: RequestLife, of id: RequestID) {
        self.add({ try $0.put(life, of: id) }, of: id) { $0.life = life }
    }

    package func put(answer: [UInt8], to id: RequestID) {
        self.add({ try $0.put(answer: answer, to: id) }, of: id) { $0.answer = answer }
    }

    package func put(_ following: FollowingRecord) {
        self.add({ try $0.put(following) }) { read in
            switch read {
            case .following, .followingCount: true
            default: false
            }
        }
    }

    package func put(_ schedule: ScheduleRecord) {
        self.add({ try $0.put(schedule) }) { read in
            switch read {
            case .schedule, .scheduleLoad, .schedulesDue, .nextDeadline: true
            default: false
            }
        }
    }

    package func prune(now: WallTime, max: Int) throws -> Bool {
        if !self.changes.isEmpty { _ = try self.exchange([]) }
        self.results = [:]
        self.roundTrips += 1
        return try self.store.prune(now: now, max: max)
    }
}
