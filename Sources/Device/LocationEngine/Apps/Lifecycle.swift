public import WhereaboutsVocabulary

/// Whether an app runs, whether it is visible, and whether it may be suspended.
///
/// ```
///                connected(foreground)                 leftForeground
///   notRunning ────────────────────────▶ foreground ──────────────────▶ leaving(until) ──deadline──▶ background(rest)
///    ▲  │  │ connected(background)           ▲                              │                         │  ▲       ▲
///    │  │  └──────────────▶ background       └──────── cameToForeground ────┴─────────────────────────┘  │       │
///    │  │ launched                                                                        deadline: rest ▼       │
///    │  └──────────▶ launching(until) ── connected ──▶ background                                    suspended ──┘
///    │                   └── deadline: kill ──▶ silent                                                     woken
///    └── exited: from every state; a managed process that vanished is awaited: ending
/// ```
/// Only processes the host launched are suspended (ADR 0023). Ignored races: a phase of an app that does not run,
/// deadlines early, late or spurious.
public struct Lifecycle: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// No process.
        case notRunning
        /// The host was ordered to launch the app, which must connect by then, or has failed.
        case launching(LaunchID, until: EngineInstant)
        /// The app is visible to a person.
        case foreground
        /// The app left the foreground and counts as in use a little longer.
        case leaving(until: EngineInstant)
        /// The app runs in the background, and may be suspended from then on; nil: it is never suspended.
        case background(rest: EngineInstant?)
        /// The app's processes are suspended.
        case suspended
        /// No process is connected any more, but the process has not ended yet.
        case ending
        /// The app was launched, did not connect in time and was killed, but has not ended yet.
        case silent
    }

    /// How an app is shown to a person.
    public enum Phase: Sendable, Hashable {
        /// The app is visible to a person.
        case foreground
        /// The app runs unseen.
        case background
    }

    /// Why an app was started.
    public enum LaunchReason: Sendable, Hashable {
        /// A person started the app, or a program that is not the host.
        case user
        /// The device launched the app to deliver a location event.
        case location
        /// The app's push extension ended while it read live updates, which the app may continue.
        case push
    }

    /// How a process reached the device.
    public struct Arrival: Sendable, Hashable {
        /// How the app is shown.
        public var phase: Phase
        /// Whether the host launched the process, and may therefore suspend it.
        public var isManaged: Bool
        /// Why the process was started.
        public var reason: LaunchReason

        /// Creates an arrival; by default that of a process that no person is known to have started or opened.
        public init(phase: Phase = .background, isManaged: Bool = false, reason: LaunchReason = .user) {
            self.phase = phase
            self.isManaged = isManaged
            self.reason = reason
        }
    }

    /// The cause of an app's end.
    public enum Cause: Sendable, Hashable {
        case person
        /// The device needs the resources.
        case system
    }

    private(set) var state: State = .notRunning
    /// Whether the host launched the process that runs, starts or ends; false also without a process.
    private(set) var isManaged = false
    /// Why the present or last process was started.
    private(set) var reason: LaunchReason = .user

    /// Creates the machine of an app that does not run.
    public init() {}

    /// Whether the app is visible to a person.
    public var isForeground: Bool { self.state == .foreground }

    /// Whether the app is visible to a person, or was a moment ago.
    public var isSeen: Bool {
        switch self.state {
        case .foreground, .leaving: true
        case .notRunning, .launching, .background, .suspended, .ending, .silent: false
        }
    }

    /// Whether the app has a process; if the device launched it, it has connected, too.
    public var isRunning: Bool {
        switch self.state {
        case .foreground, .leaving, .background, .suspended: true
        case .notRunning, .launching, .ending, .silent: false
        }
    }

    /// Whether the host was ordered to launch the app, which has not connected yet.
    public var isLaunching: Bool { if case .launching = self.state { true } else { false } }

    /// Whether the process was killed because it did not connect in time.
    public var wasSilent: Bool { self.state == .silent }

    /// Whether the app has no process, and none is being started.
    public var isGone: Bool { self.state == .notRunning }

    /// Whether the app's processes are suspended.
    public var isSuspended: Bool { self.state == .suspended }

    /// The phase the app itself reads.
    public var phase: Phase { self.isForeground ? .foreground : .background }

    /// The instant to call ``deadlineReached(mayRest:runtime:now:)`` at.
    public var deadline: EngineInstant? {
        switch self.state {
        case .launching(_, let until): until
        case .leaving(let until): until
        case .background(let rest): rest
        case .notRunning, .foreground, .suspended, .ending, .silent: nil
        }
    }

    /// Records that the host was ordered to launch the app; ignored when it runs.
    public mutating func launched(_ launch: LaunchID, _ reason: LaunchReason, until: EngineInstant) {
        guard self.state == .notRunning else { return }
        self.reason = reason
        self.isManaged = true
        self.state = .launching(launch, until: until)
    }

    /// Records that the app's first process connected.
    public mutating func connected(_ arrival: Arrival, runtime: Duration, now: EngineInstant) {
        // Keep the reason of the launch order, not that of the connection.
        if case .launching = self.state {} else { self.reason = arrival.reason }
        self.isManaged = arrival.isManaged
        self.state =
            switch arrival.phase {
            case .foreground: .foreground
            case .background: .background(rest: self.rest(runtime, now))
            }
    }

    private func rest(_ runtime: Duration, _ now: EngineInstant) -> EngineInstant? {
        self.isManaged ? now.advanced(by: runtime) : nil
    }

    /// Actions returned by ``phaseChanged(to:grace:now:)``.
    public enum OnPhase: Sendable, Hashable {
        /// Resume the app's processes.
        case thaw
        /// Do nothing.
        case ignore
    }

    /// Records that the app was shown or hidden; ignored when it does not run.
    public mutating func phaseChanged(to phase: Phase, grace: Duration, now: EngineInstant) -> OnPhase {
        switch (self.state, phase) {
        case (.notRunning, _), (.launching, _), (.ending, _), (.silent, _), (.foreground, .foreground),
            (.leaving, .background), (.background, .background), (.suspended, .background):
            return .ignore
        case (.leaving, .foreground), (.background, .foreground):
            self.state = .foreground
            return .ignore
        case (.suspended, .foreground):
            self.state = .foreground
            return .thaw
        case (.foreground, .background):
            self.state = .leaving(until: now.advanced(by: grace))
            return .ignore
        }
    }

    /// Records that the app receives something and has time to handle it.
    ///
    /// - Returns: whether the app's processes were suspended and must be resumed.
    public mutating func woken(runtime: Duration, now: EngineInstant) -> Bool {
        switch self.state {
        case .suspended:
            self.state = .background(rest: self.rest(runtime, now))
            return true
        case .background(.some):
            self.state = .background(rest: self.rest(runtime, now))
            return false
        case .background(nil), .notRunning, .launching, .foreground, .leaving, .ending, .silent:
            return false
        }
    }

    /// Records the end of the app's last connection; the host reports the end of a process it launched.
    public mutating func vanished() {
        self.state = self.isManaged ? .ending : .notRunning
    }

    /// Records that the launched process ended, or could not be started.
    public mutating func exited() {
        self.isManaged = false
        self.state = .notRunning
    }

    /// Actions returned by ``deadlineReached(mayRest:runtime:now:)``.
    public enum OnDeadline: Sendable, Hashable {
        case freeze
        /// Kill the app's process: it was launched and did not connect.
        case launchFailed
        case ignore
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    ///
    /// - Parameters:
    ///   - mayRest: whether the app may be suspended.
    ///   - runtime: how long the app runs otherwise, and after it left the foreground.
    ///   - now: the time.
    /// - Returns: what to do.
    public mutating func deadlineReached(mayRest: Bool, runtime: Duration, now: EngineInstant) -> OnDeadline {
        guard let deadline = self.deadline, now >= deadline else { return .ignore }
        switch self.state {
        case .launching:
            self.state = .silent
            return .launchFailed
        case .leaving:
            self.state = .background(rest: self.rest(runtime, now))
            return .ignore
        case .background:
            guard mayRest else {
                self.state = .background(rest: now.advanced(by: runtime))
                return .ignore
            }
            self.state = .suspended
            return .freeze
        case .notRunning, .foreground, .suspended, .ending, .silent:
            return .ignore
        }
    }
}
