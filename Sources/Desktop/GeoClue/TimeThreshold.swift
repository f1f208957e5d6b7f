package import WhereaboutsVocabulary

/// GeoClue's property `TimeThreshold`, the minimum time between two updates: a position that arrives earlier waits, and
/// the newest waiting position is reported when the time has passed.
package struct TimeThreshold: Sendable, Hashable {
    /// The minimum time between two updates.
    package var interval: Duration
    private var toldAt: EngineInstant?
    private var waiting: Position?

    /// Creates the threshold of a client; `toldAt` is the time of its last update, if there was one.
    package init(interval: Duration, toldAt: EngineInstant? = nil) {
        self.interval = interval
        self.toldAt = toldAt
    }

    /// When to report the waiting position.
    package var due: EngineInstant? {
        guard self.waiting != nil, let toldAt = self.toldAt else { return nil }
        return toldAt.advanced(by: self.interval)
    }

    /// Records a position; true: report it now; false: it waits.
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
