package import WhereaboutsVocabulary

/// Schedules: requests that the server repeats.
///
/// Each occurrence is a request with its own life, under the same rules as any other request.
extension Server {
    /// Whether one more schedule may ask the sharer of a grant.
    func hasPlace(forTimerUnder grant: Grant, _ store: any RequestStoreView) throws -> Bool {
        let load = try store.timerLoad(under: grant)
        return load.ofSharer < SharingPolicy.timersPerSharerMax && load.underGrant < SharingPolicy.timersPerGrantMax
    }

    /// Starts the schedule of a request that got its first answer.
    ///
    /// A request that the server refuses never repeats.
    func timerBegan(
        _ request: Signed<Request>,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> [Effect] {
        let asked = request.value
        guard asked.turn == 0, let end = asked.timerEnd, try store.timer(asked.firstID) == nil,
            let next = self.next(of: asked, after: 0),
            try self.hasPlace(forTimerUnder: asked.grant.value, store), try store.room().has(roomFor: .timer)
        else { return [] }
        try store.put(
            TimerRecord(request: request, next: next, end: nil, keptUntil: end.advanced(by: TimerRecord.kept))
        )
        return [.look(by: next.time)]
    }

    /// Starts every occurrence whose time has come.
    func turnsDue(_ store: any RequestStoreTransaction, now: WallTime) throws -> (isAny: Bool, effects: [Effect]) {
        let due = try store.timersDue(now: now, max: Self.dueMax)
        var effects: [Effect] = []
        for id in due {
            guard let timer = try store.timer(id) else { continue }
            effects += try self.turnDue(timer, store, now: now)
        }
        return (!due.isEmpty, effects)
    }

    private func turnDue(
        _ timer: TimerRecord,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> [Effect] {
        var timer = timer
        let first = timer.request.value
        let isRevoked = try store.isRevoked(first.grant.value)
        // Of several occurrences that the server missed while it was down, start only the last one: a position from now
        // cannot answer the earlier ones.
        guard first.timerFault(isRevoked: isRevoked, now: now) == nil, let turn = first.lastTurn(by: now) else {
            timer.next = nil
            try store.put(timer)
            return []
        }
        timer.next = self.next(of: first, after: turn)
        try store.put(timer)
        // Skip an occurrence that has expired, or has no room in the store; its requester sees the gap.
        let asked = timer.request.turn(turn)
        guard now < asked.value.expires, try store.room().has(roomFor: .timer) else { return [] }
        if turn > TimerRecord.turnsMax {
            try store.dropTurns(of: timer.id, through: turn - UInt16(TimerRecord.turnsMax))
        }
        // The request was verified when it arrived, and the signature does not cover the number of the occurrence.
        let request = Verified(asked)
        let precedents = try self.precedents(of: request, store, now: now)
        switch RequestLife.requestVerified(request, precedents: precedents, policy: self.policy, now: now) {
        case .accept(let life, let payment, let said):
            return try self.insert(asked, life, payment, said, store)
        case .refuse(.replayed): return []
        case .refuse(let refusal): try store.insert(asked, self.skipped(asked.value, refusal.reason, now: now))
        case .tooSoon:
            let words = "Skipped: the grant's pace, or the device's budget, is reserved for people who wait."
            try store.insert(asked, self.skipped(asked.value, words, now: now))
        }
        return []
    }

    private func skipped(_ turn: Request, _ reason: String, now: WallTime) -> RequestLife {
        let state = RequestState(.tooSoon, at: now, reason: reason)
        return RequestLife(restoring: .skipped, history: [state], expires: turn.expires, policy: self.policy.ofTurns)
    }

    private func next(of request: Request, after turn: UInt16) -> TimerRecord.Next? {
        guard turn < .max else { return nil }
        return request.beginning(ofTurn: turn + 1).map { TimerRecord.Next(turn: turn + 1, time: $0) }
    }

    /// Returns the occurrences of a schedule after the last one that its requester has.
    package func turns(
        after turn: UInt16,
        of permit: Verified<ReadPermit>,
        _ store: any RequestStoreView,
        now: WallTime
    ) throws -> ScheduleState {
        let permit = permit.value
        guard let timer = try store.timer(permit.request),
            timer.request.value.grant.value.requester == permit.requester
        else { return .unknown }
        let turns = try store.turns(of: permit.request, after: turn, max: TimerRecord.turnsPerReplyMax)
        let isRevoked = try store.isRevoked(timer.request.value.grant.value)
        let ended = timer.end?.reason ?? timer.request.value.timerFault(isRevoked: isRevoked, now: now)
        let next = ended == nil ? timer.next?.time : nil
        return .turns(turns, next: next, ended: ended, statement: timer.end?.statement)
    }

    /// Stores the signed end of a schedule, even before it begins.
    ///
    /// The first end counts.
    func timerEnded(
        _ end: FollowingEnd,
        bytes: [UInt8],
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> OnFollowingEnded {
        let known = try store.timer(end.request)
        guard let request = try known?.request ?? store.request(end.request)?.request,
            request.value.turn == 0, request.value.repetition != nil, end.isOf(request.value)
        else { return .unknown }
        if known?.end != nil { return .confirm }
        guard try known != nil || store.room().has(roomFor: .revocation) else { return .full }
        let ended = TimerRecord(
            request: request,
            next: nil,
            end: .init(reason: end.reason, statement: bytes),
            keptUntil: now.advanced(by: TimerRecord.kept)
        )
        try store.put(ended)
        return .confirm
    }
}
