public import WhereaboutsVocabulary

/// The location push service extension of one app: at most one process, within its time.
///
/// ```
///           due               connected             all handled              exited
///   idle ─────────▶ starting ───────────▶ running ──────────────▶ finishing ────────▶ idle
///    ▲                 │                     │ deadline: warn                          ▲
///    │                 │ deadline, exited    ▼                                         │
///    └─────────────────┘                   warned ── deadline: kill ──▶ finishing ─────┘
/// ```
/// Every push waits first. The process is launched for a push, or when the device is awake anyway, but never while a
/// crash loop holds it. A push that arrives while the process runs goes to that process. Once the process was warned, or is
/// finishing, a new push waits for the next process. Ignored races: completions of pushes that the process did not get,
/// and deadlines that are early, late or spurious.
public struct PushExtension: Sendable, Hashable {
    /// The state of the extension's process.
    enum State: Sendable, Hashable {
        /// No process.
        case idle
        /// Launched, not yet connected; must be done by `end`.
        case starting(LaunchID, end: EngineInstant)
        /// Connected and working; must be done by `end`.
        case running(LaunchID, ClientID, end: EngineInstant)
        /// The extension was asked to end, and is killed at `end`.
        case warned(LaunchID, ClientID, end: EngineInstant)
        /// The process is done, or was killed; it must exit by `end`, or is killed again.
        case finishing(LaunchID, end: EngineInstant)
    }

    private(set) var state: State = .idle
    /// Pushes that no process has received yet; with ``working`` at most ``Policy/pushesWaitingMax``.
    private(set) var waiting: PushQueue
    /// Pushes that the running process received and did not complete, oldest first.
    private(set) var working: [PushID] = []
    /// The machine that pauses the extension when it fails repeatedly.
    private(set) var crashLoop = CrashLoop()
    @Boxed private var policy: Policy

    /// Creates the machine of an extension that does not run.
    public init(policy: Policy) {
        self._policy = Boxed(policy)
        self.waiting = PushQueue(policy: policy)
    }

    /// Whether a process was launched and its end was not reported.
    public var isActive: Bool { self.state != .idle }

    /// Whether the extension starts or runs, so that a position will be needed.
    public var needsReceiver: Bool {
        switch self.state {
        case .starting, .running, .warned: true
        case .idle, .finishing: false
        }
    }

    /// Whether this push waits or is in progress.
    public func has(_ push: PushID) -> Bool {
        self.working.contains(push) || self.waiting.contains(push)
    }

    /// Whether this push waits for something else to wake the device.
    public func waitsForWakeUp(_ push: PushID) -> Bool { self.state == .idle && self.waiting.contains(push) }

    /// Whether there is room for another push.
    public var hasRoom: Bool { self.waiting.count + self.working.count < self.policy.pushesWaitingMax }

    /// The instant to call ``deadlineReached(now:)`` at, and to check again whether a process must run.
    public var deadline: EngineInstant? {
        var earliest: EngineInstant? =
            switch self.state {
            // A push that must be delivered while the extension is held back waits until the hold ends.
            case .idle:
                if let held = self.crashLoop.deadline { held } else { self.waiting.wakes }
            case .starting(_, let end): end
            case .running(_, _, let end): end - self.policy.extensionWarning
            case .warned(_, _, let end): end
            case .finishing(_, let end): end
            }
        earliest.lower(to: self.waiting.expires)
        return earliest
    }

    /// Actions returned by ``pushReceived(_:now:)``.
    public enum OnPush: Sendable, Hashable {
        /// Hand the push to the running process.
        case hand(Push, to: ClientID)
        /// Do nothing: the push waits, and replaces the given one.
        case wait(replacing: PushID?)
        /// Do nothing: the push waits, and the given less urgent one was dropped for it.
        case waitDisplacing(PushID)
        /// Drop the push: too many pushes wait.
        case drop
    }

    /// Records a push the extension may handle.
    public mutating func pushReceived(_ push: Push, now: Now) -> OnPush {
        if case .running(_, let client, _) = self.state, self.hasRoom {
            self.working.append(push.id)
            return .hand(push, to: client)
        }
        let replaced = push.collapseID.flatMap { self.waiting.collapse($0) }
        var displaced: PushID?
        if !self.hasRoom {
            displaced = self.waiting.displace(for: push.priority)
            if displaced == nil { return .drop }
        }
        self.waiting.append(push, now: now)
        return displaced.map { .waitDisplacing($0) } ?? .wait(replacing: replaced)
    }

    /// Removes and returns the waiting pushes that have expired.
    public mutating func takeExpired(now: EngineInstant) -> [Push] { self.waiting.takeExpired(now: now) }

    /// Removes and returns every waiting push, because none may reach the extension.
    public mutating func takeWaiting() -> [Push] { self.waiting.takeAll() }

    /// Removes and returns the pushes that would be delivered now if the extension were not held back.
    public mutating func takeHeld() -> [Push] {
        self.state == .idle && self.crashLoop.isHeld ? self.waiting.takeUrgent() : []
    }

    /// Whether a process should be started now.
    ///
    /// - Parameters:
    ///   - isAwake: whether the receiver is on anyway, so that starting the process wakes nothing.
    ///   - now: the time.
    /// - Returns: whether to start a process and report it with ``launching(_:now:)``.
    public func isDue(isAwake: Bool, now: EngineInstant) -> Bool {
        guard self.state == .idle, !self.waiting.isEmpty, !self.crashLoop.isHeld else { return false }
        return isAwake || self.waiting.wakes.map { now >= $0 } ?? false
    }

    /// Records that a process is being started.
    public mutating func launching(_ launch: LaunchID, now: EngineInstant) {
        self.state = .starting(launch, end: now.advanced(by: self.policy.extensionAllowance))
    }

    /// Records that another version of the app was installed.
    public mutating func renewed() { self.crashLoop.forgiven() }

    /// Actions returned by ``connected(_:launch:now:)``.
    public enum OnConnected: Sendable, Hashable {
        /// Hand these to the process, in this order; without any, the process ends.
        case hand([Push])
        /// Close the connection: this process is not the launched one.
        case refuse
    }

    /// Records that a process of the extension connected; expired pushes were removed before.
    public mutating func connected(_ client: ClientID, launch: LaunchID, now: EngineInstant) -> OnConnected {
        guard case .starting(launch, let end) = self.state else { return .refuse }
        let pushes = self.waiting.takeAll()
        self.working = pushes.map(\.id)
        self.state =
            pushes.isEmpty
            ? .finishing(launch, end: now.advanced(by: self.policy.extensionExit))
            : .running(launch, client, end: end)
        return .hand(pushes)
    }

    /// Actions returned by ``completed(_:by:now:)``.
    public enum OnCompleted: Sendable, Hashable {
        /// The push is completed; other pushes are in progress.
        case forget(PushID)
        /// The last push is completed: let the process end.
        case forgetAndFinish(PushID)
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
        self.crashLoop.succeeded()
        guard self.working.isEmpty else { return .forget(push) }
        self.state = .finishing(launch, end: now.advanced(by: self.policy.extensionExit))
        return .forgetAndFinish(push)
    }

    /// Records that a process ended, or could not be started; nil when it is not the current one.
    ///
    /// If the process never connected, the pushes that waited for it are lost, too: an extension that cannot start
    /// would not start for them the next time either.
    ///
    /// - Returns: the pushes that the process received, or was started for, and did not complete; they are lost.
    public mutating func exited(_ launch: LaunchID, now: EngineInstant) -> [PushID]? {
        var abandoned = self.working
        switch self.state {
        case .starting(launch, _): abandoned += self.waiting.takeAll().map(\.id)
        case .running(launch, _, _), .warned(launch, _, _), .finishing(launch, _): break
        case .idle, .starting, .running, .warned, .finishing: return nil
        }
        self.working = []
        self.state = .idle
        if !abandoned.isEmpty { self.crashLoop.failed(self.policy.extensionCrashLoop, now: now) }
        return abandoned
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// Notify the process that it will end.
        case warn(ClientID)
        /// Kill the process, whose time is over.
        case kill(LaunchID)
        case ignore
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        self.crashLoop.deadlineReached(now: now)
        switch self.state {
        case .idle:
            return .ignore
        case .starting(_, let end) where now < end, .warned(_, _, let end) where now < end,
            .finishing(_, let end) where now < end:
            return .ignore
        case .running(let launch, let client, let end):
            guard now >= end - self.policy.extensionWarning else { return .ignore }
            self.state = .warned(launch, client, end: end)
            return .warn(client)
        case .starting(let launch, _):
            // Still starting: the pushes it was started for are abandoned when its exit is reported.
            self.state = .starting(launch, end: now.advanced(by: self.policy.extensionExit))
            return .kill(launch)
        case .warned(let launch, _, _), .finishing(let launch, _):
            self.state = .finishing(launch, end: now.advanced(by: self.policy.extensionExit))
            return .kill(launch)
        }
    }
}
