internal import DequeModule

/// The location push service extension of one app: at most one process, within its time.
///
/// ```
///         pushReceived            connected             all handled              exited
///   idle ─────────────▶ starting ───────────▶ running ──────────────▶ finishing ────────▶ idle, or starting
///                          │                     │ deadline: warn                             when pushes wait
///                          │ deadline, exited    ▼
///                          └────────────▶ idle  warned ── deadline: kill ──▶ finishing
/// ```
/// Pushes that come while it starts or runs go to that process; those that come when it was warned or is finishing
/// wait for the next one. Ignored races: completions of pushes it was not given, deadlines early, late or spurious.
public struct PushExtension: Sendable, Hashable {
    /// Where the extension's process is.
    enum State: Sendable, Hashable {
        /// No process.
        case idle
        /// Launched, not yet connected; must be done by `end`.
        case starting(LaunchID, end: EngineInstant)
        /// Connected and working; must be done by `end`.
        case running(LaunchID, ClientID, end: EngineInstant)
        /// Told to come to an end; is killed at `end`.
        case warned(LaunchID, ClientID, end: EngineInstant)
        /// Done, or killed; its exit is awaited, and forced at `end`.
        case finishing(LaunchID, end: EngineInstant)
    }

    private(set) var state: State = .idle
    /// Pushes that no process was given yet, oldest first; at most ``Policy/pushesWaitingMax``.
    private(set) var waiting: Deque<Push> = []
    /// Pushes the running process was given and did not complete, oldest first; bounded like ``waiting``.
    private(set) var working: [PushID] = []
    private let policy: Policy

    /// Creates the machine of an extension that does not run.
    public init(policy: Policy) {
        self.policy = policy
    }

    /// Whether a process was asked for and its end was not reported.
    public var isActive: Bool { self.state != .idle }

    /// Whether the extension is on its way or at work, so that a position will be wanted.
    public var needsReceiver: Bool {
        switch self.state {
        case .starting, .running, .warned: true
        case .idle, .finishing: false
        }
    }

    /// Whether this push waits or is at work.
    public func has(_ push: PushID) -> Bool {
        self.working.contains(push) || self.waiting.contains { $0.id == push }
    }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        switch self.state {
        case .idle: nil
        case .starting(_, let end): end
        case .running(_, _, let end): end.advanced(by: .zero - self.policy.extensionWarning)
        case .warned(_, _, let end): end
        case .finishing(_, let end): end
        }
    }

    /// Actions returned by ``pushReceived(_:launch:now:)``.
    public enum OnPush: Sendable, Hashable {
        /// Start a process for it.
        case launch(LaunchID)
        /// Hand it to the running process.
        case hand(Push, to: ClientID)
        /// Do nothing; it waits.
        case wait
        /// Drop it: too many wait.
        case drop
    }

    /// Records a push the extension may handle.
    ///
    /// - Parameters:
    ///   - push: the push.
    ///   - launch: the identifier of the process, should one be started.
    ///   - now: when it came.
    /// - Returns: what to do with it.
    public mutating func pushReceived(_ push: Push, launch: LaunchID, now: EngineInstant) -> OnPush {
        guard self.waiting.count + self.working.count < self.policy.pushesWaitingMax else { return .drop }
        switch self.state {
        case .running(_, let client, _):
            self.working.append(push.id)
            return .hand(push, to: client)
        case .idle:
            self.waiting.append(push)
            self.state = self.start(launch, now: now)
            return .launch(launch)
        case .starting, .warned, .finishing:
            self.waiting.append(push)
            return .wait
        }
    }

    private func start(_ launch: LaunchID, now: EngineInstant) -> State {
        .starting(launch, end: now.advanced(by: self.policy.extensionAllowance))
    }

    /// Actions returned by ``connected(_:launch:)``.
    public enum OnConnected: Sendable, Hashable {
        /// Hand these to the process, in this order.
        case hand([Push])
        /// Cut the connection: this process is not the one that was launched.
        case refuse
    }

    /// Records that a process of the extension connected.
    public mutating func connected(_ client: ClientID, launch: LaunchID) -> OnConnected {
        guard case .starting(launch, let end) = self.state else { return .refuse }
        let pushes = Array(self.waiting)
        self.state = .running(launch, client, end: end)
        self.working = pushes.map(\.id)
        self.waiting = []
        return .hand(pushes)
    }

    /// Actions returned by ``completed(_:by:now:)``.
    public enum OnCompleted: Sendable, Hashable {
        /// The push is dealt with; others are in work.
        case forget(PushID)
        /// The push is dealt with and was the last: let the process end.
        case forgetAndFinish(PushID, LaunchID)
        /// Do nothing.
        case ignore
    }

    /// Records that the extension called a push's completion.
    public mutating func completed(_ push: PushID, by client: ClientID, now: EngineInstant) -> OnCompleted {
        let launch: LaunchID
        switch self.state {
        case .running(let current, client, _), .warned(let current, client, _): launch = current
        case .idle, .starting, .running, .warned, .finishing: return .ignore
        }
        guard let index = self.working.firstIndex(of: push) else { return .ignore }
        self.working.remove(at: index)
        guard self.working.isEmpty else { return .forget(push) }
        self.state = .finishing(launch, end: now.advanced(by: self.policy.extensionExit))
        return .forgetAndFinish(push, launch)
    }

    /// What ``exited(_:next:now:)`` leaves to be done.
    public struct OnExited: Sendable, Hashable {
        /// The pushes the process was given and did not complete; they are lost.
        public var abandoned: [PushID]
        /// The process to start for the pushes that wait.
        public var launch: LaunchID?
    }

    /// Records that a process ended, or could not be started; nil when it is not the current one.
    ///
    /// A process that never connected takes the pushes that waited for it along: what cannot start would not start
    /// for them again either.
    public mutating func exited(_ launch: LaunchID, next: LaunchID, now: EngineInstant) -> OnExited? {
        var abandoned = self.working
        switch self.state {
        case .starting(launch, _):
            abandoned += self.waiting.map(\.id)
            self.waiting = []
        case .running(launch, _, _), .warned(launch, _, _), .finishing(launch, _):
            break
        case .idle, .starting, .running, .warned, .finishing:
            return nil
        }
        self.working = []
        if self.waiting.isEmpty {
            self.state = .idle
            return OnExited(abandoned: abandoned, launch: nil)
        }
        self.state = self.start(next, now: now)
        return OnExited(abandoned: abandoned, launch: next)
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// Tell the process that it will end.
        case warn(ClientID)
        /// Kill the process; its time is over.
        case kill(LaunchID)
        /// Do nothing.
        case ignore
    }

    /// Records that the host's timer fired; legal at any time.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        guard let deadline = self.deadline, now >= deadline else { return .ignore }
        switch self.state {
        case .idle:
            return .ignore
        case .running(let launch, let client, let end):
            self.state = .warned(launch, client, end: end)
            return .warn(client)
        case .starting(let launch, _):
            // Stays: what waits is abandoned when the exit is reported.
            self.state = .starting(launch, end: now.advanced(by: self.policy.extensionExit))
            return .kill(launch)
        case .warned(let launch, _, _), .finishing(let launch, _):
            self.state = .finishing(launch, end: now.advanced(by: self.policy.extensionExit))
            return .kill(launch)
        }
    }
}
