internal import WhereaboutsVocabulary

/// One push serves all requests that wait for a device (ADR 0080).
///
/// A device that answers is notified of all that waits for it, within the transaction that keeps its answer. So a request is either in that reply,
/// or comes after it, and then nothing that was answered holds it back. A request that was handed over and is not answered a moment
/// later gets a push of its own, and so does a request that waited for a push that failed.
extension Server {
    /// Returns the push under way that also serves this request.
    func wake(for request: Request, _ store: any RequestStoreView, now: WallTime) throws -> Wake? {
        let wakes = try store.pending(for: request.grant.value.sharer).compactMap { other -> Wake? in
            guard other.request.value.id != request.id else { return nil }
            return other.wake(answering: request, self.policy, now: now)
        }
        return wakes.max { $0.end < $1.end }.map { last in
            Wake(end: last.end, isTaken: wakes.contains(where: \.isTaken))
        }
    }

    /// Returns the requests that a device is notified of in the reply to its answer.
    func told(in reply: RequestRecord, _ store: any RequestStoreView) throws -> [RequestRecord] {
        // A device that the person no longer uses, or removed, may finish old answers and learns of nothing new.
        guard !reply.isAstray else { return [] }
        // Another device answers a request that was pushed to it.
        return try store.pending(for: reply.sharer).filter { !$0.isAstray || $0.life.isWaiting }
    }

    /// Gives the requests that a device was just told of a little more time before their push.
    func handOver(
        _ pending: [RequestRecord],
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> [Effect] {
        try pending.flatMap { record in
            try self.change(record, store, now: now) { life in
                life.handedOver(now: now)
                return []
            }.effects
        }
    }

    /// Tells the requests that wait for a push how it ended.
    func wakeChanged(
        by record: RequestRecord,
        _ store: any RequestStoreTransaction,
        now: WallTime
    ) throws -> [Effect] {
        // Requests do not wait for a push to a device that no longer answers.
        guard !record.isAstray else { return [] }
        return switch record.life.state {
        case .pushed: try self.changeWaiting(behind: record, store, now: now) { $0.wakeAccepted(now: now) }
        case .unreachable, .expired, .failed:
            try self.changeWaiting(behind: record, store, now: now) { life in
                life.wakeFailed(now: now)
                return []
            }
        case .waiting, .accepted, .woken, .locating, .asking, .answered, .skipped: []
        }
    }

    private func changeWaiting(
        behind record: RequestRecord,
        _ store: any RequestStoreTransaction,
        now: WallTime,
        _ input: (inout RequestLife) -> [RequestLife.Effect]
    ) throws -> [Effect] {
        let others = try store.pending(for: record.sharer).filter { other in
            other.life.isWaiting && record.request.value.answers(for: other.request.value)
        }
        return try others.flatMap { try self.change($0, store, now: now, input).effects }
    }
}

extension Request {
    /// Whether the device answers as soon as it has a position.
    ///
    /// A request that asks the person takes longer and has a push of its own.
    var isAnsweredAtOnce: Bool { !self.grant.value.asksPerson }

    /// Whether the push of this request also serves another request to the same sharer.
    ///
    /// A person does not wait for the turn of a timer, for
    /// which the device may take minutes.
    package func answers(for other: Request) -> Bool {
        self.isAnsweredAtOnce && other.isAnsweredAtOnce && (self.turn == 0 || other.turn > 0)
    }
}

extension RequestRecord {
    /// The push under way for this request, if it also serves another one.
    fileprivate func wake(answering other: Request, _ policy: SharingPolicy, now: WallTime) -> Wake? {
        guard !self.isAstray, self.request.value.answers(for: other) else { return nil }
        let end: WallTime
        switch self.life.state {
        case .waiting(let nextPush, _): end = nextPush
        case .accepted(_, let giveUp), .pushed(let giveUp), .woken(let giveUp), .locating(let giveUp): end = giveUp
        case .asking, .answered, .unreachable, .expired, .failed, .skipped: return nil
        }
        let allowance = (self.request.value.turn > 0 ? policy.ofTurns : policy).allowance
        // If the clock was set back, the wait would last until the clock had caught up.
        guard now.duration(to: end) <= allowance else { return nil }
        let isTaken = self.life.history.contains { $0.kind != .accepted }
        return end > now && self.life.expires > now ? Wake(end: min(end, self.life.expires), isTaken: isTaken) : nil
    }
}
