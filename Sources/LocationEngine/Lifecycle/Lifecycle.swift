/// Whether one app runs, and whether it is in use.
///
/// ```
///                connected(foreground)                 leftForeground
///   notRunning ────────────────────────▶ foreground ──────────────────▶ leaving(until) ──deadline──▶ background
///       ▲  │ connected(background)            ▲                              │                          │
///       │  └──────────────▶ background        └──────── cameToForeground ────┴──────────────────────────┘
///       └── vanished, from every state
/// ```
public struct Lifecycle: Sendable, Hashable {
    /// Where the app is.
    enum State: Sendable, Hashable {
        /// No process.
        case notRunning
        /// A person looks at it.
        case foreground
        /// It left the foreground and counts as in use a little longer.
        case leaving(until: EngineInstant)
        /// It runs unseen.
        case background
    }

    /// How an app is shown to a person.
    public enum Phase: Sendable, Hashable {
        /// A person looks at it.
        case foreground
        /// It runs unseen.
        case background
    }

    private(set) var state: State = .notRunning

    /// Creates the machine of an app that does not run.
    public init() {}

    /// Whether a person looks at the app.
    public var isForeground: Bool { self.state == .foreground }

    /// Whether the app has a process.
    public var isRunning: Bool { self.state != .notRunning }

    /// Whether the app counts as in use: in the foreground, or left it a moment ago.
    public var isInUse: Bool {
        switch self.state {
        case .foreground, .leaving: true
        case .notRunning, .background: false
        }
    }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        if case .leaving(let until) = self.state { until } else { nil }
    }

    /// Records that the app's process connected.
    public mutating func connected(_ phase: Phase) {
        self.state = phase == .foreground ? .foreground : .background
    }

    /// Records that the app was shown or hidden; ignored when it does not run.
    public mutating func phaseChanged(to phase: Phase, grace: Duration, now: EngineInstant) {
        self.state =
            switch (self.state, phase) {
            case (.notRunning, _): .notRunning
            case (_, .foreground): .foreground
            case (.foreground, .background): .leaving(until: now.advanced(by: grace))
            case (.leaving(let until), .background): .leaving(until: until)
            case (.background, .background): .background
            }
    }

    /// Records that the app's process is gone.
    public mutating func vanished() {
        self.state = .notRunning
    }

    /// Records that the host's timer fired; legal at any time.
    public mutating func deadlineReached(now: EngineInstant) {
        if case .leaving(let until) = self.state, now >= until { self.state = .background }
    }
}
