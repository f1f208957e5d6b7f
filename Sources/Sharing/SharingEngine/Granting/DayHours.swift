public import WhereaboutsVocabulary

/// The hours of each day in which a grant is valid, by the sharer's local clock.
///
/// On a day when clocks are set forward, an hour is missing; when they are set back, an hour comes twice. The grant is valid whenever the
/// clock shows a time within the hours.
public struct DayHours: Sendable, Hashable {
    /// The first minute of the day, 0 to 1,439.
    public let begin: UInt16
    /// The end, 0 to 1,439, exclusive; an end before the beginning is on the next day.
    public let end: UInt16
    /// The rule of the sharer's time zone.
    public let zone: ZoneRule

    /// Creates hours; nil when they are empty, or a minute is out of range.
    public init?(from begin: UInt16, to end: UInt16, zone: ZoneRule) {
        guard begin < Self.minutesOfDay, end < Self.minutesOfDay, begin != end else { return nil }
        self.begin = begin
        self.end = end
        self.zone = zone
    }

    private static let minutesOfDay: UInt16 = 1440

    /// Returns whether a moment is within the hours.
    public func contains(_ time: WallTime) -> Bool {
        let minute = self.zone.minuteOfDay(at: time)
        return self.begin < self.end
            ? self.begin <= minute && minute < self.end : self.begin <= minute || minute < self.end
    }

    /// Returns the first moment of the hours at or after `time`.
    public func opening(from time: WallTime) -> WallTime {
        guard !self.contains(time) else { return time }
        // A day and the largest jump of a clock; minute by minute, since a jump may skip the beginning.
        let first = WallTime(seconds: time.seconds - time.seconds % 60)
        for minute in 1...Int64(Self.minutesOfDay) * 3 {
            let later = first.advanced(by: .seconds(minute * 60))
            if self.contains(later) { return later }
        }
        return time
    }
}
