/// How many location pushes the device may still receive.
///
/// ```
///            spend, some left                    spend, none left
///   ┌───────────────────────────────┐   open ─────────────────────▶ exhausted ──┐ spend: overdrawn
///   └────────────▶ open ◀───────────┘     ▲                             │   ▲───┘
///                                         └──── reopening pushes back ──┘
/// ```
/// A token bucket: capacity plus what comes back in 24 h is 360, so no 24 h ever exceeds that (ADR 0009).
public struct PushBudget: Sendable, Hashable {
    /// Whether pushes may come.
    enum State: Sendable, Hashable {
        /// Topics are registered.
        case open
        /// Topics are unregistered until enough pushes are back.
        case exhausted
    }

    private(set) var state: State
    private(set) var remaining: Int
    /// The instant up to which refills have been counted.
    private(set) var countedUntil: EngineInstant
    private let policy: Policy

    /// Creates a full budget.
    public init(policy: Policy, now: EngineInstant) {
        self.init(policy: policy, remaining: policy.pushBudgetCapacity, exhausted: false, now: now)
    }

    init(policy: Policy, remaining: Int, exhausted: Bool, now: EngineInstant) {
        precondition(policy.pushBudgetCapacity > 0, "the capacity must be > 0 pushes, got \(policy.pushBudgetCapacity)")
        precondition(policy.pushBudgetRefill > .zero, "the refill time must be > 0 s, got \(policy.pushBudgetRefill)")
        self.policy = policy
        self.state = exhausted ? .exhausted : .open
        self.remaining = min(max(remaining, 0), policy.pushBudgetCapacity)
        self.countedUntil = now
    }

    /// Whether topics may be registered.
    public var isOpen: Bool { self.state == .open }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        guard self.state == .exhausted else { return nil }
        let missing = max(0, self.reopening - self.remaining)
        return self.countedUntil.advanced(by: self.policy.pushBudgetRefill * missing)
    }

    private var reopening: Int { min(self.policy.pushBudgetReopening, self.policy.pushBudgetCapacity) }

    /// Actions returned by ``pushReceived(now:)``.
    public enum OnPush: Sendable, Hashable {
        /// The push is paid for.
        case accept
        /// The push is paid for and was the last: unregister every topic.
        case acceptAndClose
        /// The budget is empty; the push must not reach the extension.
        case refuse
    }

    /// Subtracts one push, also when no extension may handle it.
    public mutating func pushReceived(now: EngineInstant) -> OnPush {
        self.refill(now: now)
        guard self.state == .open, self.remaining > 0 else { return .refuse }
        self.remaining -= 1
        guard self.remaining == 0 else { return .accept }
        self.state = .exhausted
        return .acceptAndClose
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// Register the topics again.
        case reopen
        /// Do nothing.
        case ignore
    }

    /// Records that the host's timer fired; legal at any time.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        self.refill(now: now)
        guard self.state == .exhausted, self.remaining >= self.reopening else { return .ignore }
        self.state = .open
        return .reopen
    }

    private mutating func refill(now: EngineInstant) {
        guard now > self.countedUntil else { return }
        let elapsed = self.countedUntil.duration(to: now)
        let back = Int(elapsed / self.policy.pushBudgetRefill)
        self.countedUntil = self.countedUntil.advanced(by: self.policy.pushBudgetRefill * back)
        self.remaining = min(self.remaining + back, self.policy.pushBudgetCapacity)
        // A full budget earns nothing: the next refill counts from the next push.
        if self.remaining == self.policy.pushBudgetCapacity { self.countedUntil = now }
    }
}
