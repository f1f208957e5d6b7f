package import WhereaboutsVocabulary

/// Schedules: requests that the server repeats.
///
/// Each occurrence is a request with its own life, under the same rules as any other request.
extension Server {
    /// Whether one more schedule may ask the sharer of a grant.
    func hasPlace(forScheduleUnder grant: Grant, _ store: any RequestStoreView) throws -> Bool {
        let load = try store.scheduleLoad(under: grant)
        return load.ofSharer < SharingPolicy.schedulesPerSharerMax
            && load.underGrant < SharingPolicy.schedulesPerGrantMax
    }

    /// Starts the schedule of a request that got its first answer.
    ///
    /// A request that the server refuses never repeats.
    func scheduleBegan(
        _ request: Signed<Request>,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> [Effect] {
        let asked = request.value
        guard asked.occurrence == 0, let end = asked.scheduleEnd, try store.schedule(asked.firstID) == nil,
            let next = self.next(of: asked, after: 0),
            try self.hasPlace(forScheduleUnder: asked.grant.value, store), try store.room().has(roomFor: .schedule)
        else { return [] }
        try store.put(
            ScheduleRecord(request: request, next: next, end: nil, keptUntil: end.advanced(by: ScheduleRecord.kept))
        )
        return [.look(by: next.time)]
    }

    /// Starts every occurrence whose time has come.
    func occurrencesDue(_ store: any RequestStoreTransaction, now: WallTime) throws -> (isAny: Bool, effects: [Effect])
    {
        let due = try store.schedulesDue(now: now, max: Self.dueMax)
        try store.prefetch(due.map { .schedule($0) })
        var effects: [Effect] = []
        for id in due {
            guard let schedule = try store.schedule(id) else { continue }
            effects += try self.occurrenceDue(schedule, store, now: now)
        }
        return (!due.isEmpty, effects)
    }

    private func occurrenceDue(
        _ schedule: ScheduleRecord,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> [Effect] {
        var schedule = schedule
        let first = schedule.request.value
        let isRevoked = try store.isRevoked(first.grant.value)
        // Of several occurrences that the server missed while it was down, start only the last one: a position from now
        // cannot answer the earlier ones.
        guard first.scheduleFault(isRevoked: isRevoked, now: now) == nil, let occurrence = first.lastOccurrence(by: now)
        else {
            schedule.next = nil
            try store.put(schedule)
            return []
        }
        schedule.next = self.next(of: first, after: occurrence)
        try store.put(schedule)
        // Skip an occurrence that has expired, or has no room in the store; its requester sees the gap.
        let asked = schedule.request.occurrence(occurrence)
        guard now < asked.value.expires, try store.room().has(roomFor: .schedule) else { return [] }
        if occurrence > ScheduleRecord.occurrencesMax {
            try store.dropOccurrences(of: schedule.id, through: occurrence - UInt16(ScheduleRecord.occurrencesMax))
        }
        // The request was verified when it arrived, and the signature does not cover the number of the occurrence.
        let request = Verified(asked)
        let precedents = try self.precedents(of: request, store, now: now)
        switch RequestLife.requestVerified(request, precedents: precedents, policy: self.policy, now: now) {
        case .accept(let life, let payment, let said):
            return try self.insert(asked, life, payment, said, store)
        case .refuse(.replayed): return []
        case .refuse(let refusal):
            let state = RequestState(.tooSoon, at: now, rule: refusal)
            try store.insert(asked, self.skipped(asked.value, state))
        case .tooSoon:
            let words =
                "Skipped: the grant's rate limit or the device's push budget is reserved for people who ask now."
            try store.insert(asked, self.skipped(asked.value, RequestState(.tooSoon, at: now, reason: words)))
        }
        return []
    }

    private func skipped(_ occurrence: Request, _ state: RequestState) -> RequestLife {
        RequestLife(
            restoring: .skipped,
            history: [state],
            expires: occurrence.expires,
            policy: self.policy.ofOccurrences
        )
    }

    private func next(of request: Request, after occurrence: UInt16) -> ScheduleRecord.Next? {
        guard occurrence < .max else { return nil }
        return request.beginning(ofOccurrence: occurrence + 1).map {
            ScheduleRecord.Next(occurrence: occurrence + 1, time: $0)
        }
    }

    /// Returns the occurrences of a schedule after the last one that its requester has.
    package func occurrences(
        after occurrence: UInt16,
        of permit: Verified<ReadPermit>,
        _ store: any RequestStoreView,
        now: WallTime
    ) throws -> ScheduleState {
        let permit = permit.value
        guard let schedule = try store.schedule(permit.request),
            schedule.request.value.grant.value.requester == permit.requester
        else { return .unknown }
        let occurrences = try store.occurrences(
            of: permit.request,
            after: occurrence,
            max: ScheduleRecord.occurrencesPerReplyMax
        )
        let isRevoked = try store.isRevoked(schedule.request.value.grant.value)
        let ended = schedule.end?.reason ?? schedule.request.value.scheduleFault(isRevoked: isRevoked, now: now)
        let next = ended == nil ? schedule.next?.time : nil
        return .occurrences(occurrences, next: next, ended: ended, statement: schedule.end?.statement)
    }

    /// Stores the signed end of a schedule, even before it begins.
    ///
    /// The first end counts.
    func scheduleEnded(
        _ end: FollowingEnd,
        bytes: [UInt8],
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> OnFollowingEnded {
        let known = try store.schedule(end.request)
        guard let request = try known?.request ?? store.request(end.request)?.request,
            request.value.occurrence == 0, request.value.repetition != nil, end.isOf(request.value)
        else { return .unknown }
        if known?.end != nil { return .confirm }
        guard try known != nil || store.room().has(roomFor: .revocation) else { return .full }
        let ended = ScheduleRecord(
            request: request,
            next: nil,
            end: .init(reason: end.reason, statement: bytes),
            keptUntil: now.advanced(by: ScheduleRecord.kept)
        )
        try store.put(ended)
        return .confirm
    }
}
