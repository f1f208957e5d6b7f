public import WhereaboutsVocabulary

/// How many location pushes the device may still receive.
///
/// ```
///            spend, some left                    spend, none left
///   ┌───────────────────────────────┐   open ─────────────────────▶ exhausted ──┐ spend: overdrawn
///   └────────────▶ open ◀───────────┘     ▲                             │   ▲───┘
///                                         └──── reopening pushes back ──┘
/// ```
/// A token bucket. By default it holds 120 pushes and regains one every 6 minutes: at most 360 in any 24 hours (ADR 0009).
/// The lower part of the budget, the reserve, is shared fairly between the apps: only the topic of an app that has used up its share
/// is unregistered (ADR 0022).
public struct PushBudget: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// Topics are registered.
        case open
        /// Topics are unregistered until enough pushes are refilled.
        case exhausted
    }

    private(set) var state: State
    private(set) var remaining: Int
    /// The instant up to which refills have been counted.
    private(set) var countedUntil: EngineInstant
    /// The apps' debts to the reserve.
    private(set) var shares: FairShare
    @Boxed private var policy: Policy

    /// Creates a full budget.
    public init(policy: Policy, now: EngineInstant) {
        self.init(policy: policy, remaining: policy.pushBudgetCapacity, exhausted: false, now: now)
    }

    init(policy: Policy, remaining: Int, exhausted: Bool, now: EngineInstant) {
        precondition(policy.pushBudgetCapacity > 0, "the capacity must be > 0 pushes, got \(policy.pushBudgetCapacity)")
        precondition(policy.pushBudgetRefill > .zero, "the refill time must be > 0 s, got \(policy.pushBudgetRefill)")
        self._policy = Boxed(policy)
        self.state = exhausted ? .exhausted : .open
        self.remaining = min(max(remaining, 0), policy.pushBudgetCapacity)
        self.countedUntil = now
        self.shares = FairShare(policy: policy)
    }

    /// Whether any app may receive pushes.
    public var isOpen: Bool { self.state == .open }

    /// Whether an app's topic may be registered.
    public func isOpen(for bundle: BundleID) -> Bool { self.isOpen && self.shares.isOpen(for: bundle) }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        let target = self.state == .exhausted ? self.reopening : self.policy.pushBudgetReserveInUse + 1
        var earliest = self.shares.deadline
        if self.state == .exhausted || self.shares.hasClosed {
            let refill = self.policy.pushBudgetRefill * max(0, target - self.remaining)
            earliest.lower(to: self.countedUntil.advanced(by: refill))
        }
        return earliest
    }

    private var reopening: Int { min(self.policy.pushBudgetReopening, self.policy.pushBudgetCapacity) }

    /// Actions returned by ``pushReceived(for:among:now:)``.
    public enum OnPush: Sendable, Hashable {
        /// The budget accepts the push.
        case accept
        /// The budget accepts the push, which used up the app's share: unregister the app's topic.
        case acceptAndCloseApp
        /// The budget accepts the push, which was its last: unregister every topic.
        case acceptAndClose
        /// The app has used up its share, so the push does not reach the extension.
        case refuseApp
        /// The budget is empty, so the push does not reach the extension.
        case refuse
    }

    /// Subtracts one push, even when no extension may handle it.
    ///
    /// - Parameters:
    ///   - bundle: the app that the push is for.
    ///   - apps: how many apps share the budget.
    ///   - now: the time.
    /// - Returns: whether the budget accepts the push.
    public mutating func pushReceived(for bundle: BundleID, among apps: Int, now: EngineInstant) -> OnPush {
        self.refill(now: now)
        guard self.state == .open, self.remaining > 0 else { return .refuse }
        guard self.shares.isOpen(for: bundle) else { return .refuseApp }
        let isReserve = self.remaining <= self.policy.pushBudgetReserveInUse
        self.remaining -= 1
        let isUsedUp = isReserve && self.shares.spent(by: bundle, among: apps, now: now)
        guard self.remaining == 0 else { return isUsedUp ? .acceptAndCloseApp : .accept }
        self.state = .exhausted
        return .acceptAndClose
    }

    /// Results returned by ``deadlineReached(now:)``.
    public struct OnDeadline: Sendable, Hashable {
        /// The budget, empty before, is open again.
        public var hasReopened = false
        /// The apps that may receive pushes again.
        public var reopenedApps: [BundleID] = []
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        self.refill(now: now)
        var result = OnDeadline()
        let isReserveFull = self.remaining > self.policy.pushBudgetReserveInUse
        result.reopenedApps = self.shares.settle(isReserveFull: isReserveFull, now: now)
        if self.state == .exhausted, self.remaining >= self.reopening {
            self.state = .open
            result.hasReopened = true
        }
        return result
    }

    mutating func restore(_ bundle: BundleID, owed: Duration, isClosed: Bool, now: EngineInstant) {
        self.shares.restore(bundle, owed: owed, isClosed: isClosed, now: now)
    }

    private mutating func refill(now: EngineInstant) {
        guard now > self.countedUntil else { return }
        let elapsed = self.countedUntil.duration(to: now)
        let back = self.policy.pushesBack(in: elapsed)
        self.countedUntil = self.countedUntil.advanced(by: self.policy.pushBudgetRefill * back)
        self.remaining = min(self.remaining + back, self.policy.pushBudgetCapacity)
        // A full budget gains nothing: the next refill counts from the next push.
        if self.remaining == self.policy.pushBudgetCapacity { self.countedUntil = now }
    }
}

extension Policy {
    /// How many pushes a period refills: at most the capacity, because a file may name any period.
    func pushesBack(in elapsed: Duration) -> Int {
        Int(min(max(elapsed / self.pushBudgetRefill, 0), Double(self.pushBudgetCapacity)))
    }
}
