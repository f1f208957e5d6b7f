/// The service sessions of one app, or of one extension process: held, waiting for the foreground, and outstanding.
///
/// ```
///             declared, may begin                    client vanished                 app launched
///   (none) ──────────────────────▶ held, in effect ─────────────────▶ outstanding ───────────────▶ outstanding until t
///      │                                 ▲                                 ▲                          │          │
///      │ declared, may not begin         │ foregrounded                    └── vanished again ──── retaken   deadline: dropped
///      └────────────────────────▶ held, waiting
/// ```
/// Death is not invalidation (ADR 0009): only a declaration without the session ends it.
public struct SessionLedger: Sendable, Hashable {
    /// Where one session stands.
    enum Standing: Sendable, Hashable {
        /// A client holds it and it counts.
        case inEffect(ClientID, id: UInt64)
        /// A client holds it, but took it outside the foreground with nothing to go on from.
        case waiting(ClientID, id: UInt64)
        /// The process that held it is gone and the app was not launched since.
        case outstanding
        /// The app runs again and has until then to retake it.
        case retakable(until: EngineInstant)
    }

    struct Entry: Sendable, Hashable {
        var requirement: Declaration.Session.Requirement
        var standing: Standing
    }

    private(set) var entries: [Entry] = []
    /// Whether the app ever took a session that asks for Always.
    private(set) var hasTakenAlways = false

    /// Creates an empty ledger.
    public init() {}

    init(restoring requirements: [Declaration.Session.Requirement], hasTakenAlways: Bool) {
        self.entries = requirements.map { Entry(requirement: $0, standing: .outstanding) }
        self.hasTakenAlways = hasTakenAlways
    }

    /// What survives the process: the requirements of all sessions that count.
    var outstanding: [Declaration.Session.Requirement] {
        self.entries.compactMap {
            switch $0.standing {
            case .waiting: nil
            case .inEffect, .outstanding, .retakable: $0.requirement
            }
        }
    }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        self.entries.compactMap { if case .retakable(let until) = $0.standing { until } else { nil } }.min()
    }

    /// Whether a session that asks for Always is held and counts, or is remembered.
    public var hasAlways: Bool { self.outstanding.contains(.always) }

    /// The strongest requirement a client holds now, or nil when none is held.
    public var strongestHeld: Declaration.Session.Requirement? {
        self.entries.compactMap {
            switch $0.standing {
            case .inEffect, .waiting: $0.requirement
            case .outstanding, .retakable: nil
            }
        }.max()
    }

    /// Whether this session was taken where it could not begin.
    public func isWaiting(_ client: ClientID, id: UInt64) -> Bool {
        self.entries.contains { $0.standing == .waiting(client, id: id) }
    }

    /// Records all sessions a client holds now.
    ///
    /// - Parameters:
    ///   - client: who holds them.
    ///   - sessions: the whole set; what is missing was invalidated.
    ///   - mayBegin: whether a session that continues nothing may begin, that is, whether the app is in the foreground.
    public mutating func declared(_ client: ClientID, _ sessions: [Declaration.Session], mayBegin: Bool) {
        self.entries.removeAll { entry in
            switch entry.standing {
            case .inEffect(client, let id), .waiting(client, let id): !sessions.contains { $0.id == id }
            case .inEffect, .waiting, .outstanding, .retakable: false
            }
        }
        for session in sessions where !self.holds(client, id: session.id) {
            self.take(client, session, mayBegin: mayBegin)
        }
    }

    private func holds(_ client: ClientID, id: UInt64) -> Bool {
        self.entries.contains { $0.standing == .inEffect(client, id: id) || $0.standing == .waiting(client, id: id) }
    }

    private mutating func take(_ client: ClientID, _ session: Declaration.Session, mayBegin: Bool) {
        if session.requirement == .always { self.hasTakenAlways = true }
        let remembered = self.entries.firstIndex { entry in
            guard entry.requirement == session.requirement else { return false }
            switch entry.standing {
            case .outstanding, .retakable: return true
            case .inEffect, .waiting: return false
            }
        }
        if let remembered {
            self.entries[remembered].standing = .inEffect(client, id: session.id)
            return
        }
        // A session may also begin while another one is in effect (ADR 0009).
        let another = self.entries.contains { $0.requirement >= session.requirement && self.counts($0) }
        self.entries.append(
            Entry(
                requirement: session.requirement,
                standing: mayBegin || another
                    ? .inEffect(client, id: session.id) : .waiting(client, id: session.id)
            )
        )
    }

    private func counts(_ entry: Entry) -> Bool {
        switch entry.standing {
        case .inEffect, .retakable, .outstanding: true
        case .waiting: false
        }
    }

    /// Records that a client's process ended or its connection broke; its sessions become outstanding.
    public mutating func clientVanished(_ client: ClientID) {
        self.entries.removeAll { if case .waiting(client, _) = $0.standing { true } else { false } }
        for index in self.entries.indices {
            if case .inEffect(client, _) = self.entries[index].standing { self.entries[index].standing = .outstanding }
        }
    }

    /// Records that the app was launched, for whatever reason; what is not retaken within `window` is dropped.
    public mutating func appLaunched(window: Duration, now: EngineInstant) {
        for index in self.entries.indices where self.entries[index].standing == .outstanding {
            self.entries[index].standing = .retakable(until: now.advanced(by: window))
        }
    }

    /// Records that the app came to the foreground: what waited for it counts now.
    public mutating func foregrounded() {
        for index in self.entries.indices {
            if case .waiting(let client, let id) = self.entries[index].standing {
                self.entries[index].standing = .inEffect(client, id: id)
            }
        }
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// Sessions were not retaken in time and are gone: how many.
        case dropped(Int)
        /// Do nothing.
        case ignore
    }

    /// Records that the host's timer fired; legal at any time.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        let before = self.entries.count
        self.entries.removeAll { if case .retakable(let until) = $0.standing { now >= until } else { false } }
        return self.entries.count < before ? .dropped(before - self.entries.count) : .ignore
    }
}
