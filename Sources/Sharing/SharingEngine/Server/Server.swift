package import WhereaboutsAPNS
package import WhereaboutsVocabulary

/// The rules of the sharing server for messages of requesters and devices, which run within a transaction of the store.
///
/// A function for each input reads the store, runs the request's ``RequestLife``, writes its changes, and returns the reply and the
/// effects. The rules have no state, so a failed transaction has no consequences. ``SharingCore`` performs the effects after the commit.
/// If the server dies before that, no recovery is needed: a push that was not acknowledged is sent again at the request's deadline,
/// and streams read the store every few seconds.
package struct Server: Sendable, Hashable {
    /// The maximum number of requests whose deadline one transaction handles.
    ///
    /// Source: our choice; about 20 ms of SQLite.
    package static let dueMax = 1000

    /// The time until the next look at rows that another transaction works on.
    ///
    /// Source: our choice; a transaction takes milliseconds, and PostgreSQL ends that of a dead server after 30 s.
    package static let elsewherePause: Duration = .milliseconds(250)

    /// The maximum number of rows of each kind that one transaction prunes.
    ///
    /// Source: our choice; as many as ``dueMax``, so that neither delays the other.
    package static let pruneMax = 1000

    /// A consequence of a decision, to be carried out in order after the transaction is committed.
    package enum Effect: Sendable, Hashable {
        /// The request's push must be sent.
        case push(RequestID)
        /// The request needs no separate push: another push in progress serves it.
        case sharePush(RequestID)
        /// The request reached this state.
        case announce(RequestID, RequestState)
        /// Call ``look(_:now:)`` at this time, the deadline of a request.
        case look(by: WallTime)
    }

    /// A decision: the reply to the client, and its consequences.
    package struct Decision<Reply: Sendable>: Sendable {
        package let reply: Reply
        /// The effects to perform after the commit.
        package let effects: [Effect]

        /// Returns the decision with another form of its reply.
        func map<Other>(_ transform: (Reply) -> Other) -> Decision<Other> {
            Decision<Other>(reply: transform(self.reply), effects: self.effects)
        }
    }

    let policy: SharingPolicy

    /// Creates the rules with the numbers that they decide by.
    package init(policy: SharingPolicy) {
        self.policy = policy
    }

    /// Returns whether a sharer has a registration.
    package func knows(_ sharer: PublicIdentity, _ store: any RequestStoreView) throws -> Bool {
        try store.registration(of: sharer) != nil
    }

    /// Actions returned by ``grantRevoked(_:_:now:)``.
    package enum OnRevoked: Sendable, Hashable {
        /// Say that the revocation is stored for as long as its grant could be used.
        case confirm
        /// Say that the grant ends too far in the future for any request to be accepted.
        case refuseEnd
        /// Say that the sharer has the maximum number of revocations.
        case refuse
        /// Reply that the store is full, and that the message was not stored.
        case full
    }

    /// Stores a revocation until its grant would have ended, and deletes the links to the grant.
    package func grantRevoked(
        _ revocation: Verified<Revocation>,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> OnRevoked {
        let revocation = revocation.value
        // Links are deleted even if the revocation is not stored.
        try store.dropLinks(to: revocation.grant, of: revocation.sharer)
        guard revocation.notAfter > now else { return .confirm }
        guard revocation.notAfter <= self.policy.grantEndMax(now: now) else { return .refuseEnd }
        let others = try store.revocationCount(of: revocation.sharer, besides: revocation.grant)
        guard others < self.policy.revocationsPerSharerMax else { return .refuse }
        guard try store.room().has(roomFor: .revocation) else { return .full }
        try store.put(revocation)
        return .confirm
    }

    /// Actions returned by ``requestReceived(_:_:now:)``.
    package enum OnRequest: Sendable, Hashable {
        /// Say that the request is on disk.
        case accept
        /// Say that the request is on disk: the same bytes were accepted before.
        case acceptAgain
        /// Say that another request of this requester has the same ID.
        case conflict
        /// Answer as to a stranger.
        case refuse(Refusal)
        /// Answer with the time from which a request is accepted.
        case tooSoon(until: WallTime)
        /// Reply that the store is full, and that the message was not stored.
        case full
    }

    /// Accepts or refuses a request; it is verified together with its grant.
    package func requestReceived(
        _ request: Verified<Request>,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> Decision<OnRequest> {
        let (signed, id, grant) = (request.signed, request.value.id, request.value.grant.value)
        let known = try store.request(id)
        if known?.request == signed { return Decision(reply: .acceptAgain, effects: []) }
        // Only the requester may see that an ID is used; everyone else gets the refusal for strangers.
        if let known, known.request.value.grant.value.requester == grant.requester {
            return Decision(reply: .conflict, effects: [])
        }
        if request.value.repetition != nil {
            // Only the server starts occurrences of a schedule, and the number of schedules under a grant is limited.
            guard request.value.occurrence == 0 else { return Decision(reply: .refuse(.repetitionOver), effects: []) }
            guard try self.hasPlace(forScheduleUnder: grant, store) else {
                let later = now.advanced(by: self.policy.allowance)
                return Decision(reply: .tooSoon(until: later), effects: [])
            }
        }
        let precedents = try self.precedents(of: request, store, now: now)
        switch RequestLife.requestVerified(request, precedents: precedents, policy: self.policy, now: now) {
        case .refuse(let refusal): return Decision(reply: .refuse(refusal), effects: [])
        case .tooSoon(let until): return Decision(reply: .tooSoon(until: until), effects: [])
        case .accept(let life, let payment, let said):
            guard try store.room().has(roomFor: .request) else { return Decision(reply: .full, effects: []) }
            return Decision(reply: .accept, effects: try self.insert(signed, life, payment, said, store))
        }
    }

    /// Gathers the store's knowledge about a request that is new.
    package func precedents(
        of request: Verified<Request>,
        _ store: any RequestStoreView,
        now: WallTime
    ) throws -> PriorRecords {
        try store.prefetch(request.value.precedents)
        let grant = request.value.grant.value
        let registration = try store.registration(of: grant.sharer)
        return PriorRecords(
            isReplayed: try store.request(request.value.id) != nil,
            isRevoked: try store.isRevoked(grant),
            device: registration.map { $0.token.isEmpty ? .paused : .registered } ?? .unknown,
            paidUntil: try store.paidUntil(under: grant),
            pushesPaidUntil: try store.pushesPaidUntil(of: grant.sharer),
            wake: try self.wake(for: request.value, store, now: now),
            load: try store.load(under: grant)
        )
    }

    /// Adds an accepted request, and charges its grant and device.
    func insert(
        _ request: Signed<Request>,
        _ life: RequestLife,
        _ payment: RequestLife.Payment,
        _ said: [RequestLife.Effect],
        _ store: any RequestStoreTransaction
    ) throws -> [Effect] {
        let grant = request.value.grant.value
        try store.insert(request, life)
        try store.put(paidUntil: payment.grant, under: grant)
        if let pushes = payment.pushes { try store.put(pushesPaidUntil: pushes, of: grant.sharer) }
        let effects = try self.carryOut(said, on: RequestRecord(request: request, life: life, answer: nil), store)
        return life.isWaiting ? [.sharePush(request.value.id)] + effects : effects
    }

    /// Actions returned by ``deviceReported(_:_:now:)``.
    package enum OnReport: Sendable, Hashable {
        /// Say that the report is stored.
        case confirm
        /// Say that the request has already ended, in this state.
        case over(RequestState.Kind)
        /// Say that the sharer has no such request.
        case unknown
    }

    /// Records a device's progress report.
    package func deviceReported(
        _ report: Verified<DeviceReport>,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> Decision<OnReport> {
        let report = report.value
        guard let record = try store.request(report.request), record.sharer == report.sharer else {
            return Decision(reply: .unknown, effects: [])
        }
        if record.life.deadline == nil, let last = record.life.history.last {
            return Decision(reply: .over(last.kind), effects: [])
        }
        let (_, effects) = try self.change(record, store, now: now) { $0.deviceReported(report.progress, now: now) }
        return Decision(reply: .confirm, effects: effects)
    }

    /// Actions returned by ``answerReceived(_:bytes:_:now:)``.
    package enum OnAnswer: Sendable, Hashable {
        /// Return the request's state and the other requests that wait for the device; `isNew`: this answer ended the request.
        case deliver(RequestState.Kind, pending: [Signed<Request>], isNew: Bool)
        /// Say that the sharer has no such request.
        case unknown
    }

    /// Stores a device's answer; `bytes` are the signed message that the requester will receive.
    package func answerReceived(
        _ answer: Verified<SealedAnswer>,
        bytes: [UInt8],
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> Decision<OnAnswer> {
        let answer = answer.value
        guard let record = try store.request(answer.request), record.sharer == answer.sharer else {
            return Decision(reply: .unknown, effects: [])
        }
        var (changed, effects) = try self.change(record, store, now: now) { $0.answerReceived(bytes, now: now) }
        let isNew = changed.life != record.life
        if isNew {
            try store.countUse(of: record.request.value.grant.value)
            effects += try self.scheduleBegan(record.request, store, now: now)
        }
        // An answer shows that the device is alive, even if the app was not opened for a month.
        if let device = try store.registration(of: answer.sharer) {
            try store.put(device, at: now, until: now.advanced(by: self.policy.registrationLifetime))
        }
        guard let state = changed.life.history.last else { return Decision(reply: .unknown, effects: effects) }
        let pending = try self.told(in: changed, store)
        effects += try self.handOver(pending, store, now: now)
        return Decision(reply: .deliver(state.kind, pending: pending.map(\.request), isNew: isNew), effects: effects)
    }

    /// The age at which a registration counts as established.
    ///
    /// Readers of an established sharer's requests do not count as strangers. They are not known either, because a patient stranger can
    /// keep a registration of their own for a day. Source: our choice; a registration costs nothing, keeping it for a day does.
    package static let newcomerAge: Duration = .seconds(86_400)

    /// The request or live share that an event stream reports.
    package struct Watched: Sendable, Hashable {
        package let sharer: PublicIdentity
        /// The trust in the stream's reader, which decides whether the stream is kept when places are scarce.
        package let trust: ConnectionTrust
        /// When the live share ends; nil for a request for one answer.
        package let followingEnd: WallTime?
    }

    /// Returns the request or live share of a stream; nil if the permit does not allow its bearer to read it.
    package func watched(
        _ kind: EventStreams.Kind,
        _ permit: Verified<ReadPermit>,
        _ store: any RequestStoreView,
        now: WallTime
    ) throws -> Watched? {
        let (id, reader) = (permit.value.request, permit.value.requester)
        guard let request = try store.request(id)?.request ?? store.following(id)?.request else { return nil }
        let isTheirs =
            switch kind {
            case .states: try store.request(id)?.request.value.grant.value.requester == reader
            case .updates: try self.standing(of: id, for: reader, as: .follower, store, now: now) != .unknown
            }
        guard isTheirs else { return nil }
        let sharer = request.value.grant.value.sharer
        let isOld = try store.registeredSince(sharer).map { $0.duration(to: now) >= Self.newcomerAge } ?? false
        return Watched(sharer: sharer, trust: isOld ? .enrolled : .stranger, followingEnd: request.value.followingEnd)
    }

    /// Actions returned by ``pushDue(_:_:)``.
    package enum OnPushDue: Sendable, Hashable {
        /// Send it, and report the result: ``Server/pushEnded(_:token:_:_:now:)``.
        case send(RequestPush)
        /// Send nothing, and report this rejection.
        case reject(PushRejection, of: PublicIdentity)
        /// Send nothing: the request needs no push any more.
        case drop
    }

    /// Decides what to send for a request that needs a push.
    package func pushDue(_ id: RequestID, _ store: any RequestStoreView) throws -> OnPushDue {
        guard let record = try store.request(id), case .accepted = record.life.state else { return .drop }
        guard let registration = try store.registration(of: record.sharer),
            let push = RequestPush(of: record.request, to: registration)
        else { return .reject(.unregistered, of: record.sharer) }
        return .send(push)
    }

    /// Records the push service's reply to a push: the token of the push, if any, and the reason for a rejection, or
    /// nil if the push was accepted.
    package func pushEnded(
        _ id: RequestID,
        token: DeviceToken?,
        _ rejection: PushRejection?,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> Decision<Void> {
        guard let record = try store.request(id) else { return Decision(reply: (), effects: []) }
        let before = try store.registration(of: record.sharer)
        var (_, effects) = try self.change(record, token: token, store, now: now) { life in
            rejection.map { life.pushRejected($0, now: now) } ?? life.pushAccepted(now: now)
        }
        // The push service may no longer know the device.
        if let before { effects += try self.registrationChanged(from: before, store, now: now) }
        return Decision(reply: (), effects: effects)
    }

    /// Handles requests whose deadline has come and starts occurrences of schedules; if there are none, prunes the store.
    package func look(_ store: any RequestStoreTransaction, now: WallTime) throws -> Decision<Void> {
        let due = try store.due(now: now, max: Self.dueMax)
        try store.prefetch(due.map { .request($0) })
        try store.prefetch(due.compactMap { try store.request($0).map { .pending(for: $0.sharer) } })
        var effects: [Effect] = []
        for id in due {
            guard let record = try store.request(id) else { continue }
            let wake = try record.life.isWaiting ? self.wake(for: record.request.value, store, now: now) : nil
            effects += try self.change(record, store, now: now) {
                $0.deadlineReached(wakeEnd: wake?.end, now: now)
            }.effects
        }
        let occurrences = try self.occurrencesDue(store, now: now)
        effects += occurrences.effects
        if due.isEmpty, !occurrences.isAny, try store.prune(now: now, max: Self.pruneMax) {
            effects.append(.look(by: now))
        }
        if let next = try store.nextDeadline() {
            // If a deadline has passed but no row was found, another transaction works on it, perhaps of a server that
            // died.
            let isElsewhere = due.isEmpty && !occurrences.isAny && next <= now
            effects.append(.look(by: isElsewhere ? now.advanced(by: Self.elsewherePause) : next))
        }
        return Decision(reply: (), effects: effects)
    }

    func change(
        _ record: RequestRecord,
        token: DeviceToken? = nil,
        _ store: any RequestStoreTransaction,
        now: WallTime,
        _ input: (inout RequestLife) -> [RequestLife.Effect]
    ) throws -> (record: RequestRecord, effects: [Effect]) {
        var changed = record
        let said = input(&changed.life)
        guard changed.life != record.life else { return (record, []) }
        try store.put(changed.life, of: changed.request.value.id)
        let effects = try self.carryOut(said, on: changed, token: token, store)
        return (changed, try effects + self.wakeChanged(by: changed, store, now: now))
    }

    /// Writes the store changes of a request's effects, and returns the effects to perform after the commit.
    private func carryOut(
        _ said: [RequestLife.Effect],
        on record: RequestRecord,
        token: DeviceToken? = nil,
        _ store: any RequestStoreTransaction
    ) throws -> [Effect] {
        let id = record.request.value.id
        var effects: [Effect] = []
        for effect in said {
            switch effect {
            case .sendPush: effects.append(.push(id))
            case .payPush(let now):
                let paid = try store.pushesPaidUntil(of: record.sharer)
                try store.put(
                    pushesPaidUntil: self.policy.pushPace.spend(paidUntil: paid, now: now),
                    of: record.sharer
                )
            case .announce(let state): effects.append(.announce(id, state))
            case .storeAnswer(let answer): try store.put(answer: answer, to: id)
            case .pauseDevice: if let token { try store.pause(token, of: record.sharer) }
            }
        }
        if let deadline = record.life.deadline { effects.append(.look(by: deadline)) }
        return effects
    }
}
