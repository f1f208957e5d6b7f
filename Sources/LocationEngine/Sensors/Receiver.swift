public import Vocabulary

/// Whether the receiver is on, and whether it knows where the device is.
///
/// ```
///         needed                fix                    silence
///   off ─────────▶ searching ─────────▶ fixed ─────────────────▶ unavailable
///    ▲                 │ patience over    ▲  │ source lost            ▲   │ fix
///    │                 └──────────────────┼──┴────────────────────────┘   │
///    └── linger over, from every state    └───────────────────────────────┘
/// ```
/// Ignored races: fixes while off, deadlines early, late or spurious.
public struct Receiver: Sendable, Hashable {
    /// Where the receiver is.
    enum State: Sendable, Hashable {
        /// Nobody needs it.
        case off
        /// On, without a fix so far.
        case searching(since: EngineInstant)
        /// On, with a recent fix.
        case fixed(last: EngineInstant)
        /// On, and it will not say where the device is.
        case unavailable
    }

    /// Whether somebody needs the receiver.
    enum Need: Sendable, Hashable {
        /// Somebody does.
        case wanted
        /// Nobody does; it stays on until then, in case somebody asks again.
        case lingering(until: EngineInstant)
    }

    private(set) var state: State = .off
    private(set) var need: Need = .lingering(until: EngineInstant(sinceStart: .zero))
    private let policy: Policy

    /// Creates a receiver that is off.
    public init(policy: Policy) {
        self.policy = policy
    }

    /// Whether it is powered down.
    public var isOff: Bool { self.state == .off }

    /// Whether streams have to hear that there is no location.
    public var isUnavailable: Bool { self.state == .unavailable }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        if self.state == .off { return nil }
        var earliest = self.changeOfState
        if case .lingering(let until) = self.need { earliest.lower(to: until) }
        return earliest
    }

    private var changeOfState: EngineInstant? {
        switch self.state {
        case .off, .unavailable: nil
        case .searching(let since): since.advanced(by: self.policy.acquisitionPatience)
        case .fixed(let last): last.advanced(by: self.policy.fixSilence)
        }
    }

    /// Actions returned by ``needChanged(to:now:)``.
    public enum OnNeed: Sendable, Hashable {
        /// Power the receiver up.
        case start
        /// Do nothing; it is on, or stays on a while.
        case ignore
    }

    /// Records whether anybody needs fixes.
    public mutating func needChanged(to needed: Bool, now: EngineInstant) -> OnNeed {
        switch (needed, self.need) {
        case (true, _):
            self.need = .wanted
            guard self.state == .off else { return .ignore }
            self.state = .searching(since: now)
            return .start
        case (false, .wanted):
            self.need = .lingering(until: now.advanced(by: self.policy.receiverLinger))
            return .ignore
        case (false, .lingering):
            return .ignore
        }
    }

    /// Actions returned by ``fixReceived(tellsAccuracy:now:)``.
    public enum OnFix: Sendable, Hashable {
        /// Use the fix.
        case deliver
        /// Drop it; the receiver is off, or has just begun and will know better.
        case drop
    }

    /// Records a fix.
    ///
    /// - Parameters:
    ///   - tellsAccuracy: whether the receiver says how well it knows the position.
    ///   - now: when it came.
    /// - Returns: whether to use it.
    public mutating func fixReceived(tellsAccuracy: Bool, now: EngineInstant) -> OnFix {
        switch self.state {
        case .off: return .drop
        case .searching(let since) where !tellsAccuracy && now < since.advanced(by: self.policy.accuracyPatience):
            return .drop
        case .searching, .fixed, .unavailable:
            self.state = .fixed(last: now)
            return .deliver
        }
    }

    /// Records that the source is gone, or says that it has no fix and will have none soon; ignored while off.
    public mutating func sourceLost() {
        if self.state != .off { self.state = .unavailable }
    }

    /// Records that the source is back and searches; ignored while off, and while there is a fix.
    public mutating func sourceReady(now: EngineInstant) {
        switch self.state {
        case .unavailable: self.state = .searching(since: now)
        case .off, .searching, .fixed: break
        }
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// Power the receiver down.
        case stop
        /// Tell streams what changed, if anything did.
        case announce
    }

    /// Records that the host's timer fired; legal at any time.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        if self.state != .off, case .lingering(let until) = self.need, now >= until {
            self.state = .off
            return .stop
        }
        if let change = self.changeOfState, now >= change { self.state = .unavailable }
        return .announce
    }
}
