package import WhereaboutsVocabulary

/// When, and how often, a device accepted requests under each grant with a least interval or a number of uses.
///
/// The server enforces the interval, too, but the device does not trust it: a dishonest server cannot get an answer sooner.
/// Server and device count from the time when they receive a request, and a request may be delayed on its way. So an answer
/// may come early by the policy's allowance, and the next one waits longer. Only the device limits the number of uses; the
/// server counts answers for the page of a link (``ShownLink``), and refuses no request by that count.
package struct GrantUses: Sendable, Hashable {
    /// One grant and its use.
    package struct Entry: Sendable, Hashable {
        package let grant: GrantID
        /// The last request that used the grant.
        package let request: RequestDigest
        /// When the grant's interval has passed since the accepted requests, by the device's clock, in whole
        /// milliseconds.
        package let paidUntil: WallTime
        /// How often the grant was used; counted only if the grant limits the uses.
        package let count: UInt16
        /// Until when the entry is needed, in whole milliseconds.
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

    /// The maximum number of grants with an entry; beyond this, no request under another limited grant is answered.
    ///
    /// Source: our choice; room for a thousand people who asked within their interval, or have uses left.
    package static let countMax = 1024

    /// The grants with a running interval or counted uses, in the order of their last use.
    package private(set) var entries: [Entry]

    /// Restores stored entries.
    package init(restoring entries: [Entry] = []) {
        self.entries = entries
    }

    /// Actions returned by ``used(by:_:policy:now:)``.
    package enum OnUsed: Sendable, Hashable {
        /// Answer: the grant has no such limits, or this request was counted before.
        case answer
        /// Write the entries to disk, then answer.
        case record
        /// Refuse: the grant's interval is not over.
        case tooSoon
        /// Refuse: the grant has no uses left.
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

    /// Returns how many uses of a grant are left; nil if they are unlimited.
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
