public import WhereaboutsVocabulary

/// When the health of a receiver, or of the beacon feed, is told on, which changes with every line that is read.
///
/// At once where people are shown something else than before; otherwise at most once a ``pause``, so that ages and counts stay true, and a flood
/// of lines does not become a flood of reports.
public struct HealthNews<Shown: Sendable & Hashable>: Sendable, Hashable {
    private struct Told: Sendable, Hashable {
        let shown: Shown
        let at: EngineInstant
    }

    /// How long nothing is reported as long as the same is shown.
    ///
    /// Source: our choice; most receivers speak once a second, and people who look at ages in seconds see no smaller difference.
    static var pause: Duration { .seconds(1) }

    /// The state that was reported last, and when; nil: none yet.
    private var told: Told?

    /// Starts before anything was told.
    public init() {}

    /// Records a state that may be reported.
    ///
    /// - Parameters:
    ///   - shown: the part of it that people are shown.
    ///   - now: the time.
    /// - Returns: whether to tell it; it counts as told then.
    public mutating func isDue(_ shown: Shown, now: EngineInstant) -> Bool {
        if let told = self.told, told.shown == shown, told.at.duration(to: now) < Self.pause { return false }
        self.told = Told(shown: shown, at: now)
        return true
    }
}
