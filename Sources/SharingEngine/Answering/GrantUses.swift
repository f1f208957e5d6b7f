package import Vocabulary

/// When a device answered under each of its owner's grants that set a least interval.
///
/// The server keeps the interval, too, but consent is not its to give: a server that lies, and a requester with it, get no
/// answer sooner. Both sides count from when they heard of a request, and one may be under way for a while: an answer may come
/// by the policy's allowance early, and the next one pays for it.
package struct GrantUses: Sendable, Hashable {
    /// One grant and its use.
    package struct Entry: Sendable, Hashable {
        /// The grant.
        package let grant: GrantID
        /// The request that used it last.
        package let request: RequestID
        /// Until when its use is paid for, by the device's clock, in whole milliseconds.
        package let paidUntil: WallTime

        /// Creates an entry.
        package init(grant: GrantID, request: RequestID, paidUntil: WallTime) {
            self.grant = grant
            self.request = request
            self.paidUntil = paidUntil.wholeMilliseconds
        }
    }

    /// The most grants kept; the owner alone makes them, and beyond it nothing is answered under another.
    ///
    /// Source: our choice; a thousand people who each asked within their interval.
    package static let countMax = 1024

    /// The grants whose interval is not over, in the order of their first use.
    package private(set) var entries: [Entry]

    /// Brings back what was kept.
    package init(restoring entries: [Entry] = []) {
        self.entries = entries
    }

    /// Actions returned by ``used(by:policy:now:)``.
    package enum OnUsed: Sendable, Hashable {
        /// Answer; the grant sets no interval, or this very request has paid.
        case answer
        /// Write the entries to disk, then answer.
        case record
        /// Refuse: the grant's interval is not over.
        case tooSoon
        /// Answer nothing: as many are kept as may be.
        case full
    }

    /// Records that a request is to be answered under its grant; handed over again, since a process died or the server was
    /// not reached, it uses the grant once.
    package mutating func used(by request: Request, policy: SharingPolicy, now: WallTime) -> OnUsed {
        let grant = request.grant.value
        guard grant.intervalMin > 0 else { return .answer }
        let known = self.entries.first { $0.grant == grant.id }
        if known?.request == request.id { return .answer }
        switch grant.pace(policy).use(paidUntil: known?.paidUntil, slack: policy.allowance, now: now) {
        case .tooSoon: return .tooSoon
        case .pass(let paidUntil):
            self.entries.removeAll { $0.paidUntil <= now || $0.grant == grant.id }
            guard self.entries.count < Self.countMax else { return .full }
            self.entries.append(Entry(grant: grant.id, request: request.id, paidUntil: paidUntil))
            return .record
        }
    }
}
