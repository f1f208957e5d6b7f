package import WhereaboutsVocabulary

/// The least time between two updates, GeoClue's property of that name: an early position waits, and the newest waiting
/// one is reported at the right time.
package struct TimeThreshold: Sendable, Hashable {
    /// The least time between two updates.
    package var interval: Duration
    private var toldAt: EngineInstant?
    private var waiting: Position?

    /// Creates the threshold of a client that received no position yet, or one a moment ago.
    package init(interval: Duration, toldAt: EngineInstant? = nil) {
        self.interval = interval
        self.toldAt = toldAt
    }

    /// When to report the waiting position.
    package var due: EngineInstant? {
        guard self.waiting != nil, let toldAt = self.toldAt else { return nil }
        return toldAt.advanced(by: self.interval)
    }

    /// Records a position; true: report it now.
    package mutating func offered(_ position: Position, now: EngineInstant) -> Bool {
        if let toldAt = self.toldAt, now < toldAt.advanced(by: self.interval) {
            self.waiting = position
            return false
        }
        (self.toldAt, self.waiting) = (now, nil)
        return true
    }

    /// Returns the position that must be reported now.
    package mutating func fallenDue(now: EngineInstant) -> Position? {
        guard let due = self.due, now >= due, let position = self.waiting else { return nil }
        (self.toldAt, self.waiting) = (now, nil)
        return position
    }
}
