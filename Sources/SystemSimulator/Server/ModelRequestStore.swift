internal import OrderedCollections
package import Sharing
package import SharingEngine

/// The sharing server's store in memory: what the simulated server has on its disk.
///
/// Its operations are those of `SharingServer`'s `Store`, and pass its suite.
package struct ModelRequestStore: Sendable {
    /// Where a sharer's device takes pushes.
    package struct Device: Sendable, Hashable {
        package var token: [UInt8]
        package var topic: String
        var issued: WallTime
    }

    private struct GrantKey: Sendable, Hashable {
        var sharer: PublicIdentity
        var grant: GrantID
    }

    private struct GrantUse: Sendable {
        var last: WallTime
        var notAfter: WallTime
    }

    private var devices: [PublicIdentity: Device] = [:]
    private var revocations: [GrantKey: WallTime] = [:]
    private var uses: [GrantKey: GrantUse] = [:]
    private var requests: OrderedDictionary<RequestID, RequestRecord> = [:]
    /// The requests that have a deadline, by sharer, in the order they came.
    private var unfinished: [PublicIdentity: OrderedSet<RequestID>] = [:]

    package init() {}

    package mutating func register(_ registration: Registration) {
        if let known = self.devices[registration.sharer], known.issued >= registration.issued { return }
        self.devices[registration.sharer] = Device(
            token: registration.token,
            topic: registration.topic,
            issued: registration.issued
        )
    }

    package mutating func revoke(_ revocation: Revocation, max: Int) -> Bool {
        let key = GrantKey(sharer: revocation.sharer, grant: revocation.grant)
        guard self.revocations.keys.count(where: { $0.sharer == key.sharer && $0 != key }) < max else { return false }
        self.revocations[key] = self.revocations[key] ?? revocation.notAfter
        return true
    }

    package mutating func admit(
        _ request: Signed<Request>,
        now: WallTime,
        decide: (Standing) -> RequestLife.OnVerified
    ) -> StoreAdmission {
        let known = self.requests[request.value.id]
        if known?.request == request { return .known }
        let grant = request.value.grant.value
        let key = GrantKey(sharer: grant.sharer, grant: grant.id)
        let standing = Standing(
            isReplayed: known != nil,
            isRevoked: self.revocations[key] != nil,
            device: self.devices[grant.sharer].map { $0.token.isEmpty ? .paused : .registered } ?? .unknown,
            lastAccepted: self.uses[key]?.last,
            pendingCount: self.unfinished[grant.sharer]?.count ?? 0
        )
        let decision = decide(standing)
        if case .accept(let life, _) = decision {
            precondition(known == nil, "a request of this id was accepted before; the decision must refuse it")
            self.requests[request.value.id] = RequestRecord(request: request, life: life, answer: nil)
            self.uses[key] = GrantUse(last: now, notAfter: grant.notAfter)
            self.index(request.value.id)
        }
        return .decided(decision)
    }

    package mutating func apply(
        to id: RequestID,
        answer: [UInt8]?,
        token: [UInt8]?,
        _ input: (inout RequestLife) -> [RequestLife.Effect]
    ) -> (record: RequestRecord, effects: [RequestLife.Effect])? {
        guard var record = self.requests[id] else { return nil }
        let before = record.life
        let effects = input(&record.life)
        guard record.life != before else { return (record, effects) }
        if effects.contains(.storeAnswer) { record.answer = answer }
        let sharer = record.request.value.grant.value.sharer
        // Of this token alone: the device may have registered a new one meanwhile.
        if effects.contains(.pauseDevice), let token, self.devices[sharer]?.token == token {
            self.devices[sharer]?.token = []
        }
        self.requests[id] = record
        self.index(id)
        return (record, effects)
    }

    private mutating func index(_ id: RequestID) {
        guard let record = self.requests[id] else { return }
        let sharer = record.request.value.grant.value.sharer
        if record.life.deadline == nil {
            self.unfinished[sharer]?.remove(id)
        } else {
            self.unfinished[sharer, default: []].append(id)
        }
    }

    package func request(_ id: RequestID) -> RequestRecord? { self.requests[id] }

    package func device(of sharer: PublicIdentity) -> Device? {
        self.devices[sharer].flatMap { $0.token.isEmpty ? nil : $0 }
    }

    package func pending(for sharer: PublicIdentity) -> [RequestRecord] {
        (self.unfinished[sharer] ?? []).compactMap { self.requests[$0] }
    }

    package func due(now: WallTime, max: Int) -> [RequestID] {
        let due = self.unfinished.values.joined().compactMap { id -> (deadline: WallTime, place: Int)? in
            guard let place = self.requests.index(forKey: id) else { return nil }
            guard let deadline = self.requests.values[place].life.deadline, deadline <= now else { return nil }
            return (deadline, place)
        }
        return due.sorted { $0 < $1 }.prefix(max).map { self.requests.keys[$0.place] }
    }

    package func nextDeadline() -> WallTime? {
        self.unfinished.values.joined().compactMap { self.requests[$0]?.life.deadline }.min()
    }

    package mutating func prune(now: WallTime) {
        self.requests.removeAll { $0.value.life.expires <= now && $0.value.life.deadline == nil }
        self.revocations = self.revocations.filter { $0.value > now }
        self.uses = self.uses.filter { $0.value.notAfter > now }
    }
}
