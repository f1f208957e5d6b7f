internal import WhereaboutsVocabulary

/// A clock that runs while the scanner listens: from each report to the next, unless the next report is late.
struct ListeningTime: Sendable, Hashable {
    /// The time that the scanner listened so far.
    private(set) var value = Duration.zero
    private var last: EngineInstant?

    /// Records a report of the scanner, with or without a reception.
    mutating func reported(now: EngineInstant, silenceMax: Duration) {
        if let last = self.last, last.duration(to: now) <= silenceMax { self.value += last.duration(to: now) }
        self.last = now
    }
}
