internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Whether the decisions of the engine are on disk, and when a disk that refused them is tried again.
///
/// ```
///           failed                    deadline: save
///   saved ──────────▶ unsaved(until) ───────────────▶ retrying
///     ▲                  ▲  │ saved                     │  │ saved
///     └──────────────────┼──┘               failed      │  │
///     ▲                  └──────────────────────────────┘  │
///     └────────────────────────────────────────────────────┘
/// ```
struct Saving: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// All that was decided is on disk.
        case saved
        /// The disk refused the write for this reason; it is retried at this instant.
        case unsaved(reason: String, until: EngineInstant)
        /// The disk refused the write for this reason, and the write is being repeated.
        case retrying(reason: String)
    }

    /// The time between two attempts: only a person, or a log rotation, makes room on a full disk.
    static let pause = Duration.seconds(2)

    private(set) var state = State.saved

    /// Why the last decision is not on disk; nil if it is saved.
    var reason: String? {
        switch self.state {
        case .saved: nil
        case .unsaved(let reason, _), .retrying(let reason): reason
        }
    }

    var deadline: EngineInstant? { if case .unsaved(_, let until) = self.state { until } else { nil } }

    mutating func saved() { self.state = .saved }

    /// Records that the disk refused; further failures meanwhile do not delay the next attempt.
    mutating func failed(_ reason: String, now: EngineInstant) {
        switch self.state {
        case .saved, .retrying: self.state = .unsaved(reason: reason, until: now.advanced(by: Self.pause))
        case .unsaved(_, let until): self.state = .unsaved(reason: reason, until: until)
        }
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    ///
    /// - Returns: whether to try again.
    mutating func deadlineReached(now: EngineInstant) -> Bool {
        guard case .unsaved(let reason, let until) = self.state, now >= until else { return false }
        self.state = .retrying(reason: reason)
        return true
    }
}

extension DeviceCore {
    /// Why the last decision would not survive a restart; nil if it is on disk.
    public var unsavedReason: String? { self.saving.reason }

    /// Tells the engine, and through it apps with conditions, that the disk stopped or resumed accepting decisions.
    mutating func storageChanged(_ actions: inout [Action], now: Now) {
        let isAvailable = self.saving.reason == nil
        guard self.engine.isStorageAvailable != isAvailable else { return }
        self.feed(.storageChanged(isAvailable: isAvailable), &actions, now: now)
    }
}
