public import WhereaboutsVocabulary

/// The claims of one app, or of one extension process: held, waiting for the foreground, and outstanding.
///
/// ```
///             declared, may begin                    client vanished                 app launched
///   (none) ──────────────────────▶ held, in effect ─────────────────▶ outstanding ───────────────▶ outstanding until t
///      │                                 ▲                                 ▲  ▲                       │  │       │
///      │ declared, may not begin         │ conditions changed              │  └─── app ended ─────────┘  │   deadline: dropped
///      └────────────────────────▶ held, waiting                            └── vanished again ──── retaken
/// ```
/// The death of a process does not invalidate its claims (ADR 0009): a claim ends when a declaration omits it, or when a process
/// does not retake it in time. A live activity need not be retaken; it ends with its time, or when a person dismisses it.
public struct Ledger: Sendable, Hashable {
    enum ClaimState: Sendable, Hashable {
        /// A client holds the claim, and it is in effect.
        case inEffect(ClientID, id: UInt64)
        /// A client holds the claim, but it is not in effect until it may begin.
        case waiting(ClientID, id: UInt64)
        /// The process that held the claim ended, and the app was not launched since.
        case outstanding
        /// The app runs again, and can retake the claim until then.
        case retakable(until: EngineInstant)
    }

    struct Entry: Sendable, Hashable {
        var claim: Claim
        var standing: ClaimState
        /// When a live activity ends by itself; nil for other claims.
        var end: EngineInstant?

        /// Whether the claim is in effect.
        var counts: Bool {
            switch self.standing {
            case .inEffect, .outstanding, .retakable: true
            case .waiting: false
            }
        }

        /// Whether the client held the claim and no longer declares it.
        func isGivenUp(by client: ClientID, _ claims: [(id: UInt64, claim: Claim)]) -> Bool {
            switch self.standing {
            case .inEffect(client, let id), .waiting(client, let id): !claims.contains { $0.id == id }
            case .inEffect, .waiting, .outstanding, .retakable: false
            }
        }

        /// Whether a client holds the claim.
        var isHeld: Bool {
            switch self.standing {
            case .inEffect, .waiting: true
            case .outstanding, .retakable: false
            }
        }
    }

    private(set) var entries: [Entry] = []
    /// Whether the app ever created a session for Always.
    private(set) var hasTakenAlways = false
    /// Whether the app lost its session for Always without giving it up; an app without a session does not learn of the
    /// loss.
    private(set) var hasLostAlways = false

    /// Creates an empty ledger.
    public init() {}

    init(restoring claims: [Claim], hasTakenAlways: Bool, hasLostAlways: Bool, activityEnd: EngineInstant) {
        self.entries = claims.map {
            Entry(claim: $0, standing: .outstanding, end: $0.isLiveActivity ? activityEnd : nil)
        }
        self.hasTakenAlways = hasTakenAlways
        self.hasLostAlways = hasLostAlways
    }

    // MARK: Claims

    /// The claims in effect, which survive the process.
    var inEffect: [Claim] { self.entries.filter(\.counts).map(\.claim) }

    private func isInEffect(_ claim: Claim) -> Bool { self.entries.contains { $0.counts && $0.claim == claim } }

    /// The claims left by an ended process.
    var left: [Claim] { self.entries.filter { !$0.isHeld }.map(\.claim) }

    /// The requirements of all sessions in effect.
    var sessions: [Declaration.Session.Requirement] {
        self.entries.compactMap { entry in
            if entry.counts, case .session(let requirement) = entry.claim { requirement } else { nil }
        }
    }

    /// The streams left by an ended process.
    var leftStreams: [Service] {
        self.entries.compactMap { entry in
            if !entry.isHeld, case .stream(let service) = entry.claim { service } else { nil }
        }
    }

    /// The titles of the live activities in effect.
    var liveActivities: [String] {
        self.entries.compactMap { entry in
            if entry.counts, case .liveActivity(let title) = entry.claim { title } else { nil }
        }
    }

    /// Whether a background activity session is in effect.
    public var hasBackgroundSession: Bool { self.isInEffect(.backgroundSession) }

    /// Whether a session for Always is in effect or remembered.
    public var hasAlways: Bool { self.isInEffect(.session(.always)) }

    /// Whether a client holds a session for Always, in effect or waiting.
    var holdsAlways: Bool { self.entries.contains { $0.isHeld && $0.claim == .session(.always) } }

    /// The strongest requirement among the held sessions; nil without any.
    public var strongestHeld: Declaration.Session.Requirement? {
        self.entries.compactMap { entry in
            if entry.isHeld, case .session(let requirement) = entry.claim { requirement } else { nil }
        }.max()
    }

    /// Whether a claim waits until it may begin.
    var hasWaiting: Bool { self.entries.contains { $0.isHeld && !$0.counts } }

    /// Whether the claim was taken in the background, where such a claim cannot begin.
    public func isWaiting(_ client: ClientID, id: UInt64) -> Bool {
        self.entries.contains { $0.standing == .waiting(client, id: id) }
    }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        var earliest: EngineInstant?
        for entry in self.entries {
            if case .retakable(let until) = entry.standing { earliest = min(earliest ?? until, until) }
            if let end = entry.end { earliest = min(earliest ?? end, end) }
        }
        return earliest
    }

    // MARK: Inputs

    /// Records everything that a client holds now.
    ///
    /// - Parameters:
    ///   - client: the holder.
    ///   - claims: the whole set; a missing one was invalidated.
    ///   - activityEnd: when a live activity that begins now ends by itself.
    ///   - mayBegin: whether a claim that continues no earlier claim may begin.
    public mutating func declared(
        _ client: ClientID,
        _ claims: [(id: UInt64, claim: Claim)],
        activityEnd: EngineInstant,
        mayBegin: (Claim) -> Bool
    ) {
        var further: [(id: UInt64, claim: Claim)] = []
        for (id, claim) in claims {
            if let index = self.index(of: client, id: id) {
                // A live activity may change its title, and a manager its options.
                self.entries[index].claim = claim
            } else if let index = self.entries.firstIndex(where: {
                $0.counts && $0.isGivenUp(by: client, claims) && claim.continues($0.claim)
            }) {
                // The claim takes the place of the omitted one: a manager continues after a pause.
                self.entries[index].claim = claim
                self.entries[index].standing = .inEffect(client, id: id)
            } else {
                further.append((id, claim))
            }
        }
        if self.entries.contains(where: { $0.claim == .session(.always) && $0.isGivenUp(by: client, claims) }) {
            self.hasLostAlways = false
        }
        self.entries.removeAll { $0.isGivenUp(by: client, claims) }
        for (id, claim) in further {
            self.take(client, id: id, claim, activityEnd: activityEnd, mayBegin: mayBegin)
        }
        if self.hasAlways { self.hasLostAlways = false }
    }

    private func index(of client: ClientID, id: UInt64) -> Int? {
        self.entries.firstIndex {
            $0.standing == .inEffect(client, id: id) || $0.standing == .waiting(client, id: id)
        }
    }

    private mutating func take(
        _ client: ClientID,
        id: UInt64,
        _ claim: Claim,
        activityEnd: EngineInstant,
        mayBegin: (Claim) -> Bool
    ) {
        if claim == .session(.always) { self.hasTakenAlways = true }
        if let left = self.entries.firstIndex(where: { !$0.isHeld && claim.continues($0.claim) }) {
            self.entries[left].claim = claim
            self.entries[left].standing = .inEffect(client, id: id)
        } else {
            let begins = mayBegin(claim) || self.isCarried(claim)
            self.entries.append(
                Entry(
                    claim: claim,
                    standing: begins ? .inEffect(client, id: id) : .waiting(client, id: id),
                    end: claim.isLiveActivity ? activityEnd : nil
                )
            )
        }
    }

    /// Whether a claim may begin because another one is in effect (ADR 0009).
    private func isCarried(_ claim: Claim) -> Bool {
        switch claim {
        case .liveActivity: false
        case .stream(let service): service.traits.isCarried
        case .session(let requirement): self.sessions.contains { $0 >= requirement }
        case .backgroundSession: self.hasBackgroundSession
        }
    }

    /// Records that the conditions for claims may have changed: waiting claims begin if they may.
    public mutating func conditionsChanged(mayBegin: (Claim) -> Bool) {
        for index in self.entries.indices {
            if case .waiting(let client, let id) = self.entries[index].standing, mayBegin(self.entries[index].claim) {
                self.entries[index].standing = .inEffect(client, id: id)
            }
        }
        if self.hasAlways { self.hasLostAlways = false }
    }

    /// Records that a client's process ended or its connection broke; its claims in effect become outstanding.
    public mutating func clientVanished(_ client: ClientID) {
        self.entries.removeAll { if case .waiting(client, _) = $0.standing { true } else { false } }
        for index in self.entries.indices {
            if case .inEffect(client, _) = self.entries[index].standing { self.entries[index].standing = .outstanding }
        }
    }

    /// Records that the app was launched, for any reason; claims not retaken within `window` are dropped.
    public mutating func appLaunched(window: Duration, now: EngineInstant) {
        for index in self.entries.indices where self.entries[index].standing == .outstanding {
            if self.entries[index].claim.lastsUntilEnded { continue }
            self.entries[index].standing = .retakable(until: now.advanced(by: window))
        }
    }

    /// Records that the last of the app's processes ended: claims that it did not retake wait for the next launch.
    public mutating func appEnded() {
        for index in self.entries.indices {
            if case .retakable = self.entries[index].standing { self.entries[index].standing = .outstanding }
        }
    }

    /// Records a claim that the extension leaves to the app: a stream that the extension no longer reads.
    ///
    /// - Returns: whether the app did not have such a claim already.
    public mutating func inherited(_ claim: Claim) -> Bool {
        guard !self.entries.contains(where: { $0.counts && $0.claim.continues(claim) }) else { return false }
        self.entries.append(Entry(claim: claim, standing: .outstanding))
        return true
    }

    /// Records that a person dismissed a live activity.
    ///
    /// - Returns: whether there was one.
    public mutating func activityDismissed(title: String) -> Bool {
        let before = self.entries.count
        self.entries.removeAll { $0.claim == .liveActivity(title: title) }
        return self.entries.count < before
    }

    /// Drops the claims left by an ended process.
    public mutating func forgotten() { self.drop { !$0.isHeld } }

    private mutating func drop(_ isDropped: (Entry) -> Bool) {
        let hadAlways = self.hasAlways
        self.entries.removeAll(where: isDropped)
        if hadAlways, !self.hasAlways { self.hasLostAlways = true }
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// This many claims were not retaken in time, and were dropped.
        case dropped(Int)
        case ignore
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        self.entries.removeAll { entry in entry.end.map { now >= $0 } ?? false }
        let before = self.entries.count
        self.drop { if case .retakable(let until) = $0.standing { now >= until } else { false } }
        return self.entries.count < before ? .dropped(before - self.entries.count) : .ignore
    }
}
