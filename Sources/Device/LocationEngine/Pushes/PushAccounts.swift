public import WhereaboutsVocabulary

/// Counts of the pushes that the device received, and of their outcomes, for its owner; computed from ``Note``s.
///
/// The push service does not report outcomes to the provider, so the owner finds them here. Bounded: ``appsMax`` apps,
/// ``recentMax`` lines. Holds no payload and no position.
public struct PushAccounts: Sendable, Hashable, Codable {
    /// The maximum number of apps that are counted separately; the pushes of further apps are in ``total`` only.
    public static let appsMax = 128
    /// The maximum number of lines that are stored.
    public static let recentMax = 100

    /// How many pushes had which outcome.
    public struct Counts: Sendable, Hashable, Codable {
        /// Pushes that reached the device.
        public var received = 0
        /// Pushes that were handed to an extension.
        public var handed = 0
        /// Pushes that the extension completed.
        public var completed = 0
        /// Pushes that will not be completed: the extension ended, or did not start.
        public var abandoned = 0
        /// Pushes that a newer push with the same collapse ID replaced.
        public var replaced = 0
        /// Pushes that did not reach the extension, by ``Note/PushRefusal/code``.
        public var refused: [String: Int] = [:]
    }

    /// The outcome of a push.
    public struct Line: Sendable, Hashable, Codable {
        /// Microseconds since 1970.
        public var time: Int64
        /// The app.
        public var bundle: String
        /// `completed`, `abandoned`, `replaced` or `refused`.
        public var outcome: String
        /// The reason of a refusal (``Note/PushRefusal/code``); otherwise empty.
        public var reason: String
    }

    /// All pushes.
    public private(set) var total = Counts()
    /// The counts of each app.
    public private(set) var apps: [String: Counts] = [:]
    /// The last completed, abandoned, replaced or refused pushes, oldest first; at most ``recentMax``.
    public private(set) var recent: [Line] = []

    /// Creates empty accounts.
    public init() {}

    /// Counts the pushes of a note.
    ///
    /// - Returns: whether the note concerns pushes.
    public mutating func record(_ note: Note, time: WallTime) -> Bool {
        switch note {
        case .pushReceived(_, let bundle): self.count(bundle) { $0.received += 1 }
        case .pushHanded(_, let bundle): self.count(bundle) { $0.handed += 1 }
        case .pushCompleted(_, let bundle):
            self.count(bundle) { $0.completed += 1 }
            self.end(bundle, "completed", "", time)
        case .pushReplaced(_, let bundle):
            self.count(bundle) { $0.replaced += 1 }
            self.end(bundle, "replaced", "", time)
        case .pushRefused(_, let bundle, let reason):
            self.count(bundle) { $0.refused[reason.code, default: 0] += 1 }
            self.end(bundle, "refused", reason.code, time)
        case .extensionFailed(let bundle, let end, let pushes):
            self.count(bundle) { $0.abandoned += pushes }
            for _ in 0..<pushes { self.end(bundle, "abandoned", end.code, time) }
        default: return false
        }
        return true
    }

    /// Forgets a removed app, whose pushes stay in the total.
    public mutating func forget(_ bundle: BundleID) {
        self.apps[bundle.rawValue] = nil
        self.recent.removeAll { $0.bundle == bundle.rawValue }
    }

    private mutating func count(_ bundle: BundleID, _ change: (inout Counts) -> Void) {
        change(&self.total)
        guard self.apps[bundle.rawValue] != nil || self.apps.count < Self.appsMax else { return }
        change(&self.apps[bundle.rawValue, default: Counts()])
    }

    private mutating func end(_ bundle: BundleID, _ outcome: String, _ reason: String, _ time: WallTime) {
        self.recent.append(
            Line(time: time.microseconds, bundle: bundle.rawValue, outcome: outcome, reason: reason)
        )
        if self.recent.count > Self.recentMax { self.recent.removeFirst() }
    }
}

extension Note.PushRefusal {
    /// A stable name of the reason, for programs.
    public var code: String {
        switch self {
        case .malformed: "malformed"
        case .notRegistered: "not-registered"
        case .budgetExhausted: "budget-exhausted"
        case .shareExhausted: "share-exhausted"
        case .expired: "expired"
        case .notAuthorized: "not-authorized"
        case .provisional: "provisional"
        case .noAlwaysSession: "no-always-session"
        case .notEntitled: "not-entitled"
        case .tooManyWaiting: "too-many-waiting"
        case .heldBack: "held-back"
        }
    }
}

extension Engine.ProcessEnd {
    fileprivate var code: String {
        switch self {
        case .exited(let status): "exit-\(status)"
        case .signalled(let signal): "signal-\(signal)"
        case .neverStarted: "not-started"
        case .neverConnected: "not-connected"
        }
    }
}
