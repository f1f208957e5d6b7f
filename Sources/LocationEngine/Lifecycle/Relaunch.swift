/// Whether an app may be launched again by the device, after it failed.
///
/// ```
///             failed                      failed: twice as long
///   ready ──────────────▶ resting(until) ──────────────────────┐
///     ▲  ◀── deadline ────────┘  ▲                             │
///     └── ranWell: forgets       └─────────────────────────────┘
/// ```
/// A launch by a person is not held back.
public struct Relaunch: Sendable, Hashable {
    /// Where the app is.
    enum State: Sendable, Hashable {
        /// It may be launched; it failed as often in a row before.
        case ready(failures: Int)
        /// It failed, as often in a row, and is left alone until then.
        case resting(until: EngineInstant, failures: Int)
    }

    private(set) var state: State = .ready(failures: 0)

    /// Creates the machine of an app that never failed.
    public init() {}

    /// Whether the device may launch the app.
    public var isAllowed: Bool {
        switch self.state {
        case .ready: true
        case .resting: false
        }
    }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? { if case .resting(let until, _) = self.state { until } else { nil } }

    /// Records that a process of the app crashed, or did not come up.
    public mutating func failed(policy: Policy, now: EngineInstant) {
        let before =
            switch self.state {
            case .ready(let failures), .resting(_, let failures): failures
            }
        // Twenty doublings are longer than any limit.
        let pause = min(policy.relaunchPause * (1 << min(before, 20)), policy.relaunchPauseMax)
        self.state = .resting(until: now.advanced(by: pause), failures: before + 1)
    }

    /// Records that a process of the app ended as it should, or that a person started it.
    public mutating func ranWell() {
        self.state = .ready(failures: 0)
    }

    /// Records that the host's timer fired; legal at any time.
    public mutating func deadlineReached(now: EngineInstant) {
        if case .resting(let until, let failures) = self.state, now >= until { self.state = .ready(failures: failures) }
    }
}
