internal import OrderedCollections
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The end of the service: its processes are asked to end, and killed if they do not.
///
/// ```
///            endOrdered                 all ended, or deadline: kill
///   serving ───────────▶ ending(until) ─────────────────────────────▶ over
/// ```
struct Shutdown: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// The service runs.
        case serving
        /// The processes were asked to end. At this instant, the rest are killed.
        case ending(until: EngineInstant)
        /// All processes have ended.
        case over
    }

    /// Less than service managers wait before they kill (systemd's `TimeoutStopSec` is 90 s, Docker's grace 10 s).
    static let patience = Duration.seconds(3)

    private(set) var state = State.serving

    var hasBegun: Bool { self.state != .serving }
    var deadline: EngineInstant? { if case .ending(let until) = self.state { until } else { nil } }

    /// Records the order to shut down; a second order gives no more time.
    mutating func began(now: EngineInstant) {
        guard case .serving = self.state else { return }
        self.state = .ending(until: now.advanced(by: Self.patience))
    }

    /// Records that all processes have ended.
    ///
    /// - Returns: whether the state changed.
    mutating func ended() -> Bool {
        guard case .ending = self.state else { return false }
        self.state = .over
        return true
    }
}

extension DeviceCore {
    mutating func endOrdered(_ actions: inout [Action], now: Now) {
        self.shutdown.began(now: now.monotonic)
        if self.saving.reason != nil { actions.append(.save) }
        for launch in self.extensions.keys { actions.append(.process(.killExtension(launch))) }
        for bundle in self.runs.all.keys { actions.append(.process(.endApp(bundle))) }
        self.endWhenAllEnded(&actions)
    }

    /// Handles events after the shutdown was ordered: only ends of processes matter.
    mutating func handleWhileEnding(_ event: Event, _ actions: inout [Action], now: Now) {
        switch event {
        case .appEnded(let bundle, _), .appNotStarted(let bundle, _): _ = self.runs.ended(bundle)
        case .extensionEnded(let launch, _): self.extensions[launch] = nil
        case .appStarted(let bundle): actions.append(.process(.endApp(bundle)))
        case .stateSaved: self.saving.saved()
        case .deadlineReached:
            guard let deadline = self.shutdown.deadline, now.monotonic >= deadline else { return }
            for bundle in self.runs.all.keys { actions.append(.process(.killApp(bundle))) }
            for launch in self.extensions.keys { actions.append(.process(.killExtension(launch))) }
            self.runs = AppRuns()
            self.extensions = [:]
        case .happened, .begun, .connectionOpened, .messageReceived, .connectionClosed, .stateNotSaved, .pushArrived,
            .pushKept, .pushNotKept, .sourceReported, .recordingChanged, .lookedUp, .ordered, .endOrdered:
            return
        }
        self.endWhenAllEnded(&actions)
    }

    private mutating func endWhenAllEnded(_ actions: inout [Action]) {
        guard self.runs.all.isEmpty, self.extensions.isEmpty, self.shutdown.ended() else { return }
        actions.append(.end)
    }
}
