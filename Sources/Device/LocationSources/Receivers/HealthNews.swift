public import WhereaboutsVocabulary

/// Decides when to report the health of a receiver or of the beacon feed, which changes with every line.
///
/// A change of what people see is reported at once; otherwise there is at most one report per ``pause``, so that ages
/// and counts stay current, and a flood of lines does not become a flood of reports.
public struct HealthNews<Shown: Sendable & Hashable>: Sendable, Hashable {
    private struct Told: Sendable, Hashable {
        let shown: Shown
        let at: EngineInstant
    }

    /// How long an unchanged text is not reported again.
    ///
    /// Source: our choice; most receivers report once a second, and people who read ages in seconds notice no smaller difference.
    static var pause: Duration { .seconds(1) }

    /// The last reported state, and when; nil: none yet.
    private var told: Told?

    /// Starts without an earlier report.
    public init() {}

    /// Records a state that may be reported.
    ///
    /// - Parameters:
    ///   - shown: the part of the state that people see.
    ///   - now: the time.
    /// - Returns: whether to report the state; it then counts as reported.
    public mutating func isDue(_ shown: Shown, now: EngineInstant) -> Bool {
        if let told = self.told, told.shown == shown, told.at.duration(to: now) < Self.pause { return false }
        self.told = Told(shown: shown, at: now)
        return true
    }
}
