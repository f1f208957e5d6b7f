public import WhereaboutsVocabulary

/// Pauses the starts of an extension or a launched app that fails repeatedly.
///
/// ```
///              failed, oftener than tolerated        failed: twice as long
///   free ───────────────────────────▶ held(until) ◀────────────────────── free, on probation
///    ▲ ▲                                  └──────── deadline ────────────────▲ │
///    │ └──────────────────────────── succeeded ────────────────────────────────┘
///    └── forgiven, from everywhere
/// ```
/// Probation is `free` with more failures than are tolerated. A success during a hold does not shorten the hold.
public struct CrashLoop: Sendable, Hashable {
    /// When starts are paused, and for how long.
    struct Rule: Sendable, Hashable {
        /// The failures in a row that have no consequence.
        let tolerated: Int
        /// The duration of the hold after the first failure beyond ``tolerated``, and after each further one.
        let backoff: Backoff
    }

    enum State: Sendable, Hashable {
        /// The process may be started; it failed this many times in a row.
        case free(failures: Int)
        /// The process is not started until then; it failed this many times in a row.
        case held(until: EngineInstant, failures: Int)
    }

    private(set) var state = State.free(failures: 0)

    /// Creates the machine of a process that has not failed.
    public init() {}

    /// Whether the process must not be started now.
    public var isHeld: Bool { self.deadline != nil }

    /// The instant to call ``deadlineReached(now:)`` at; nil without a hold.
    public var deadline: EngineInstant? { if case .held(let until, _) = self.state { until } else { nil } }

    private var failures: Int {
        switch self.state {
        case .free(let failures), .held(_, let failures): failures
        }
    }

    /// Records that a process did not start, crashed, or ended without completing its work.
    mutating func failed(_ rule: Rule, now: EngineInstant) {
        let failures = self.failures + 1
        let until =
            failures > rule.tolerated
            ? now.advanced(by: rule.backoff.wait(doublings: failures - rule.tolerated - 1)) : self.deadline
        self.state = until.map { .held(until: $0, failures: failures) } ?? .free(failures: failures)
    }

    /// Records that a process completed its work.
    public mutating func succeeded() {
        self.state = self.deadline.map { .held(until: $0, failures: 0) } ?? .free(failures: 0)
    }

    /// Forgets earlier failures: another version was installed, a person started the app, or its process ended normally.
    public mutating func forgiven() {
        self.state = .free(failures: 0)
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) {
        if case .held(let until, let failures) = self.state, now >= until { self.state = .free(failures: failures) }
    }
}

extension Policy {
    /// The rule for push extensions.
    var extensionCrashLoop: CrashLoop.Rule {
        CrashLoop.Rule(
            tolerated: self.extensionFailuresMax - 1,
            backoff: Backoff(from: self.extensionBackoff, to: self.extensionBackoffMax)
        )
    }

    /// The rule for apps that the device launches; an app that a person launches is not held back.
    var relaunchCrashLoop: CrashLoop.Rule {
        CrashLoop.Rule(tolerated: 0, backoff: Backoff(from: self.relaunchPause, to: self.relaunchPauseMax))
    }
}
