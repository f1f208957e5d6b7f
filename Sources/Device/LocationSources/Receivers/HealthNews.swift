public import WhereaboutsVocabulary

/// Decides when to report the health of a receiver or of the beacon feed, which changes with every line.
///
/// At once where people are shown something else than before; otherwise at most once a ``pause``, so that ages and counts stay true, and a flood
/// of lines does not become a flood of reports.
public struct HealthNews<Shown: Sendable & Hashable>: Sendable, Hashable {
    private struct Told: Sendable, Hashable {
        let shown: Shown
        let at: EngineInstant
    }

    /// How long an unchanged text is not reported again.
    ///
    /// Source: our choice; most receivers speak once a second, and people who look at ages in seconds see no smaller difference.
    static var pause: Duration { .seconds(1) }

    /// The last reported state, and when; nil: none yet.
    private var told: Told?

    /// Starts without an earlier report.
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
