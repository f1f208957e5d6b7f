/// Holds an extension back that fails again and again.
///
/// ```
///              failed, too often                    failed: twice as long
///   free ───────────────────────────▶ held(until) ◀────────────────────── probation
///    ▲ ▲                                  └──────── deadline ────────────────▲ │
///    │ └──────────────────────────── succeeded ────────────────────────────────┘
///    └── renewed (another version was installed), from everywhere
/// ```
public struct CrashLoop: Sendable, Hashable {
    /// The failures since the last success.
    private(set) var failures = 0
    /// Until when the extension is not started; nil: it may be.
    private(set) var heldUntil: EngineInstant?

    /// Creates the machine of an extension that has not failed.
    public init() {}

    /// Whether the extension must not be started now.
    public var isHeld: Bool { self.heldUntil != nil }

    /// Records that a process ended without having completed what it was given, or could not be started.
    public mutating func failed(_ policy: Policy, now: EngineInstant) {
        self.failures += 1
        let surplus = self.failures - policy.extensionFailuresMax
        guard surplus >= 0 else { return }
        // Doubling stops long before the shift overflows: the bound is reached first.
        let wait = min(policy.extensionBackoff * (1 << min(surplus, 20)), policy.extensionBackoffMax)
        self.heldUntil = now.advanced(by: wait)
    }

    /// Records that the extension completed a push.
    public mutating func succeeded() {
        self.failures = 0
    }

    /// Records that another version was installed.
    public mutating func renewed() {
        self = CrashLoop()
    }

    /// Records that the host's timer fired; legal at any time.
    public mutating func deadlineReached(now: EngineInstant) {
        if let heldUntil, now >= heldUntil { self.heldUntil = nil }
    }
}
