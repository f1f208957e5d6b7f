internal import WhereaboutsVocabulary

/// One push serves all requests that wait for a device (ADR 0080).
///
/// The reply to a device's answer contains all requests that wait for the device, read in the transaction that stores the answer. So a
/// request is either in that reply, or arrives later and does not wait for the answered push. A request from such a reply that is not
/// answered within a moment gets its own push, and so does a request that waited for a push that failed.
extension Server {
    /// Returns the push in progress that also serves this request.
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
        // A device that no longer answers, or was removed, may finish old answers but gets no new requests.
        guard !reply.isAstray else { return [] }
        // Leave out requests that were pushed to another device, which may still answer them.
        return try store.pending(for: reply.sharer).filter { !$0.isAstray || $0.life.isWaiting }
    }

    /// Delays the pushes of requests that a device has just received in a reply.
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

    /// Updates the requests that wait for another request's push when the state of that request changes.
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
    /// A request that asks the person takes longer, and gets a separate push.
    var isAnsweredAtOnce: Bool { !self.grant.value.asksPerson }

    /// Whether the push of this request also serves another request to the same sharer.
    ///
    /// A person's request does not wait for the push of an occurrence of a schedule,
    /// for which the device may take minutes.
    package func answers(for other: Request) -> Bool {
        self.isAnsweredAtOnce && other.isAnsweredAtOnce && (self.occurrence == 0 || other.occurrence > 0)
    }
}

extension RequestRecord {
    /// The push in progress for this request, if it also serves another one.
    fileprivate func wake(answering other: Request, _ policy: SharingPolicy, now: WallTime) -> Wake? {
        guard !self.isAstray, self.request.value.answers(for: other) else { return nil }
        let end: WallTime
        switch self.life.state {
        case .waiting(let nextPush, _): end = nextPush
        case .accepted(_, let giveUp), .pushed(let giveUp), .woken(let giveUp), .locating(let giveUp): end = giveUp
        case .asking, .answered, .unreachable, .expired, .failed, .skipped: return nil
        }
        let allowance = (self.request.value.occurrence > 0 ? policy.ofOccurrences : policy).allowance
        // If the clock was set back, ignore this push: the other request would wait until the clock has caught up.
        guard now.duration(to: end) <= allowance else { return nil }
        let isTaken = self.life.history.contains { $0.kind != .accepted }
        return end > now && self.life.expires > now ? Wake(end: min(end, self.life.expires), isTaken: isTaken) : nil
    }
}
