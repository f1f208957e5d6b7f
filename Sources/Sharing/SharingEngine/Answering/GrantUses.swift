package import WhereaboutsVocabulary

/// When, and how often, a device accepted requests under each grant with a least interval or a number of uses.
///
/// The server keeps the interval, too, but consent is not its to give: a server that lies, and a requester with it, get no
/// answer sooner. Both sides count from when they heard of a request, and one may be under way for a while: an answer may come
/// by the policy's allowance early, and the next one pays for it. The number of uses is the device's alone: the server
/// counts answers for the page of a link (``ShownLink``), and refuses nothing by that count.
package struct GrantUses: Sendable, Hashable {
    /// One grant and its use.
    package struct Entry: Sendable, Hashable {
        package let grant: GrantID
        /// The request that used it last.
        package let request: RequestDigest
        /// Until when its use is paid for, by the device's clock, in whole milliseconds.
        package let paidUntil: WallTime
        /// How often the grant was used; counted only under a grant that bounds it.
        package let count: UInt16
        /// Until when the entry matters, in whole milliseconds.
        package let keptUntil: WallTime

        package init(
            grant: GrantID,
            request: RequestDigest,
            paidUntil: WallTime,
            count: UInt16 = 0,
            keptUntil: WallTime? = nil
        ) {
            self.grant = grant
            self.request = request
            self.paidUntil = paidUntil.wholeMilliseconds
            self.count = count
            self.keptUntil = (keptUntil ?? paidUntil).wholeMilliseconds
        }
    }

    /// The most grants kept; the owner alone makes them, and beyond it nothing is answered under another.
    ///
    /// Source: our choice; a thousand people who each asked within their interval, or have some uses left.
    package static let countMax = 1024

    /// The grants with a running interval or counted uses, in the order of their last use.
    package private(set) var entries: [Entry]

    /// Restores stored entries.
    package init(restoring entries: [Entry] = []) {
        self.entries = entries
    }

    /// Actions returned by ``used(by:_:policy:now:)``.
    package enum OnUsed: Sendable, Hashable {
        /// Answer: the grant limits neither, or this request has already paid.
        case answer
        /// Write the entries to disk, then answer.
        case record
        /// Refuse: the grant's interval is not over.
        case tooSoon
        /// Refuse: the grant was used as often as it allows.
        case usedUp
        /// Do not answer: the limit of entries is reached.
        case full
    }

    /// Records that a request will be answered under its grant.
    ///
    /// The same signed request, delivered again after a crash or a failed post, uses the grant once. Its signed times limit
    /// how long it can return. A request with the same ID and other bytes is another use.
    package mutating func used(
        by request: Request,
        _ digest: RequestDigest,
        policy: SharingPolicy,
        now: WallTime
    ) -> OnUsed {
        let grant = request.grant.value
        guard grant.isCounted else { return .answer }
        let known = self.entries.first { $0.grant == grant.id }
        if known?.request == digest { return .answer }
        let count = known?.count ?? 0
        if let usesMax = grant.usesMax, count >= usesMax { return .usedUp }
        var paidUntil = now
        if grant.intervalMin > 0 {
            switch grant.pace(policy).use(paidUntil: known?.paidUntil, slack: policy.allowance, now: now) {
            case .tooSoon: return .tooSoon
            case .pass(let until): paidUntil = until
            }
        }
        self.entries.removeAll { $0.keptUntil <= now || $0.grant == grant.id }
        guard self.entries.count < Self.countMax else { return .full }
        self.entries.append(
            Entry(
                grant: grant.id,
                request: digest,
                paidUntil: paidUntil,
                count: grant.usesMax == nil ? 0 : count + 1,
                keptUntil: grant.usesMax == nil ? paidUntil : max(paidUntil, grant.notAfter)
            )
        )
        return .record
    }

    /// Returns how many uses of a grant are left; nil when it does not bound them.
    package func left(of grant: Grant) -> UInt16? {
        grant.usesMax.map { usesMax in
            let count = self.entries.first { $0.grant == grant.id }?.count ?? 0
            return usesMax - min(usesMax, count)
        }
    }
}

extension Grant {
    /// Whether the device must remember requests under the grant.
    package var isCounted: Bool { self.intervalMin > 0 || self.usesMax != nil }
}
