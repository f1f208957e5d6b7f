internal import WhereaboutsVocabulary

/// One condition of an app: what the app knows, and what the device found.
///
/// ```
///            decided: another state than known            handed
///   quiet ──────────────────────────────────▶ pending ──────────────▶ told(event)
///     ▲ ▲                                      │  ▲                    │   │
///     │ └── decided: the known state ──────────┘  └── the process gone ┘   │
///     └───────────────────────── handled; pending if decided otherwise ────┘
/// ```
/// The states are not stored: a record is told while there is ``told``, otherwise pending while ``pending`` is an
/// event, otherwise quiet. ``standing`` is independent of them, except that an abandoned record has no pending event.
///
/// Edge-triggered: an event is the difference between the last decided state and the last handled state. It
/// waits while that difference lasts, even after all processes ended; a second event waits until the first was handled.
/// A crossing that the app does not want counts as handled at once. An app may also receive a satisfied state whenever
/// the display is lit: an event without a crossing, which does not survive the host's process.
struct ConditionRecord: Sendable, Hashable {
    struct Finding: Sendable, Hashable {
        var state: ConditionState
        var time: WallTime
        /// The beacon that satisfied a condition on several beacons.
        var refinement: Beacon?
    }

    /// Whether the condition is watched, within the app's limit.
    enum WatchState: Sendable, Hashable {
        /// The condition is watched.
        case placed
        /// The condition waits: the app's limit is reached, or the device does not support the condition.
        case waiting
        /// The app did not receive a waiting event in time.
        case abandoned
    }

    /// An event that a client received and has not handled.
    struct Told: Sendable, Hashable {
        var event: UInt64
        var client: ClientID
        var finding: Finding
    }

    /// The engine's number for the condition, new after it is replaced.
    let number: UInt64
    let monitor: String
    let identifier: String
    let condition: Condition
    let notices: Notices
    var standing: WatchState
    /// The last event that was handled, or the state that the condition was added with.
    private(set) var known: Finding
    /// The last decided state; nil: none since the condition was added.
    private(set) var found: Finding?
    private(set) var told: Told?
    /// The satisfied state to report again after the display was lit; nil: none.
    private var reminder: Finding?
    /// Whether the app's client received ``known``.
    var isKnownTold = true
    /// The last reasons that the client received.
    var toldReasons: MonitorDiagnostics = []
    /// Whether the device watches the condition now.
    var isWatched = false

    init(
        number: UInt64,
        monitor: String,
        identifier: String,
        condition: Condition,
        notices: Notices,
        standing: WatchState,
        known: Finding,
        found: Finding? = nil
    ) {
        self.number = number
        self.monitor = monitor
        self.identifier = identifier
        self.condition = condition
        self.notices = notices
        self.standing = standing
        self.known = known
        self.found = found
    }

    /// The event that waits to be reported; nil: none.
    var pending: Finding? {
        guard self.told == nil, self.standing != .abandoned else { return nil }
        if let found, found.state != self.known.state { return found }
        return self.reminder
    }

    /// The newest known state, which a watch starts from.
    var newest: ConditionState { self.found?.state ?? self.known.state }

    /// Whether adding a condition changes nothing, because it is the same; the known state is then better than the new
    /// assumption.
    func isSame(as condition: Condition, _ notices: Notices) -> Bool {
        self.condition == condition && self.notices == notices
    }

    /// Whether the condition is a region of a `CLLocationManager`.
    var isRegion: Bool { self.monitor == Monitors.ofRegions }

    // MARK: Inputs

    /// Records that a manager starts the region, even if it was monitored before.
    ///
    /// The client receives ``known`` once the device monitors the region, or the reasons why it does not.
    mutating func started() {
        self.isKnownTold = false
        self.toldReasons = []
    }

    /// Records that an app adds the same condition again.
    ///
    /// A process that adds the condition before it received the records ignores the event that it had received, so the event is sent again.
    mutating func addedAgain() {
        self.told = nil
        if self.isRegion { self.started() }
    }

    /// Records a decision of the device.
    mutating func decided(_ finding: Finding) {
        guard finding.state != self.newest else { return }
        self.found = finding
        self.reminder = nil
        self.pass()
    }

    /// Records that the display was lit.
    mutating func displayLit(at time: WallTime) {
        guard self.notices.contains(.display), self.isWatched, self.newest == .satisfied, self.told == nil,
            self.pending == nil
        else { return }
        self.reminder = Finding(state: .satisfied, time: time, refinement: (self.found ?? self.known).refinement)
    }

    /// Records that a client received the event that waits.
    mutating func handed(to client: ClientID, as event: UInt64) {
        guard let pending else { return }
        self.told = Told(event: event, client: client, finding: pending)
    }

    /// Records that a client handled an event; ignored for an event that it did not receive.
    ///
    /// - Returns: whether the client had received this event.
    mutating func handled(_ event: UInt64, by client: ClientID) -> Bool {
        guard let told, told.event == event, told.client == client else { return false }
        self.known = told.finding
        self.told = nil
        if self.reminder == told.finding { self.reminder = nil }
        self.pass()
        return true
    }

    /// Records that a client is gone, or no longer reads the monitor; its unhandled event waits again.
    mutating func vanished(_ client: ClientID) {
        if self.told?.client == client { self.told = nil }
        self.toldReasons = []
        self.pass()
    }

    /// Records that the waiting event counts as handled, because the app had enough time to receive it.
    mutating func passedOver() {
        guard let pending else { return }
        self.known = pending
        self.reminder = nil
        self.isKnownTold = false
    }

    /// Records that the app did not receive the waiting event in time; the state is decided again once the condition is watched again.
    mutating func abandoned() {
        self.standing = .abandoned
        self.found = nil
    }

    /// Marks a state as reported if the app did not ask for events of such states.
    private mutating func pass() {
        guard let pending, !self.notices.contains(Notices(of: pending.state, after: self.known.state)) else { return }
        self.known = pending
        self.isKnownTold = false
    }
}
