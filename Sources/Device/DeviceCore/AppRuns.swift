internal import OrderedCollections
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The apps' processes that the host starts: how each began, how it is shown, which orders wait for it, and when it is killed.
///
/// ```
///          began             started                    close ordered            deadline: kill
///   (none) ─────▶ beginning ─────────▶ running ────────────────────▶ closing(until) ───────▶ closing, killed
///      ▲              │ not started       │ ended                        │ ended
///      └──────────────┴───────────────────┴──────────────────────────────┘
/// ```
/// An app has one process at a time. Ignored races: the end of a process that is no longer recorded.
struct AppRuns: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// The host was ordered to start a process.
        case beginning
        /// The process runs.
        case running
        /// The process was asked to end and is killed at this instant; nil: it was killed.
        case closing(until: EngineInstant?)
    }

    struct Run: Sendable, Hashable {
        var state: State
        /// How the process began and how it is shown now, because a process may lose its connection and connect again.
        var arrival: Lifecycle.Arrival
        /// The start orders that wait until ``startUntil`` to see whether the process stays alive.
        var startWaits: [OrderID] = []
        var startUntil: EngineInstant?
        /// The orders to close the app, which are answered after the end of the process.
        var endWaits: [OrderID] = []

        var deadline: EngineInstant? {
            var earliest = self.startUntil
            if case .closing(let until) = self.state { earliest.lower(to: until) }
            return earliest
        }
    }

    /// How long a process may take to end by itself.
    ///
    /// - Note: five seconds, as iOS's watchdog gives an app to terminate (Apple, "Addressing watchdog terminations").
    static let closingPatience = Duration.seconds(5)
    /// How long a new process is watched for a failed start, such as a missing library or a wrong argument.
    static let startWatch = Duration.milliseconds(500)

    private(set) var all: OrderedDictionary<BundleID, Run> = [:]

    func arrival(of bundle: BundleID) -> Lifecycle.Arrival? { self.all[bundle]?.arrival }

    var deadline: EngineInstant? {
        var earliest: EngineInstant?
        for run in self.all.values { earliest.lower(to: run.deadline) }
        return earliest
    }

    /// Records that the host was ordered to start a process.
    mutating func began(_ bundle: BundleID, _ arrival: Lifecycle.Arrival, for order: OrderID? = nil) {
        self.all[bundle] = Run(state: .beginning, arrival: arrival, startWaits: order.map { [$0] } ?? [])
    }

    /// Records a process that an earlier service started.
    mutating func tookOver(_ bundle: BundleID, _ arrival: Lifecycle.Arrival) {
        self.all[bundle] = Run(state: .running, arrival: arrival)
    }

    /// Records that the process was started.
    ///
    /// - Returns: how the process began; nil: it was not expected.
    mutating func started(_ bundle: BundleID, now: EngineInstant) -> Lifecycle.Arrival? {
        guard let run = self.all[bundle], run.state == .beginning else { return nil }
        self.all[bundle]?.state = .running
        if !run.startWaits.isEmpty { self.all[bundle]?.startUntil = now.advanced(by: Self.startWatch) }
        return run.arrival
    }

    /// Records that the process ended or never started.
    mutating func ended(_ bundle: BundleID) -> Run? { self.all.removeValue(forKey: bundle) }

    mutating func shown(_ bundle: BundleID, as phase: Lifecycle.Phase) { self.all[bundle]?.arrival.phase = phase }

    /// Records that the process was asked to end; a second request does not extend its time.
    mutating func closing(_ bundle: BundleID, for order: OrderID?, patience: Duration, now: EngineInstant) {
        guard let run = self.all[bundle] else { return }
        if let order { self.all[bundle]?.endWaits.append(order) }
        if case .closing = run.state { return }
        self.all[bundle]?.state = .closing(until: now.advanced(by: patience))
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    ///
    /// - Returns: the processes to kill, and the start orders whose processes stayed alive.
    mutating func deadlineReached(now: EngineInstant) -> (kill: [BundleID], steady: [(BundleID, [OrderID])]) {
        var kill: [BundleID] = []
        var steady: [(BundleID, [OrderID])] = []
        for (bundle, run) in self.all {
            if case .closing(.some(let until)) = run.state, now >= until {
                self.all[bundle]?.state = .closing(until: nil)
                kill.append(bundle)
            }
            if let until = run.startUntil, now >= until {
                self.all[bundle]?.startUntil = nil
                self.all[bundle]?.startWaits = []
                steady.append((bundle, run.startWaits))
            }
        }
        return (kill, steady)
    }
}
