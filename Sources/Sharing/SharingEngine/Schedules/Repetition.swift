public import WhereaboutsVocabulary

/// The terms of a schedule that the server runs: how often a requester asks, and until when.
public struct Repetition: Sendable, Hashable {
    /// The minimum time between two occurrences, in minutes.
    ///
    /// Source: our choice; longer than an occurrence lives, so that a schedule has one at a time. Live shares serve shorter intervals.
    public static let everyMinutesMin: UInt16 = 15
    /// The maximum lifetime of a schedule.
    ///
    /// Source: our choice; as long as an invitation, so that a sharer is reminded monthly of the people who ask.
    public static let lifetimeMax: Duration = .seconds(31 * 86_400)
    /// How long an occurrence may wait for its answer.
    ///
    /// Source: the longest that a request may live, ``SharingPolicy/lifetimeMax``; a push at low priority waits for the device.
    package static let occurrenceLifetime: Duration = .seconds(600)

    /// The time between two occurrences, in minutes.
    public let everyMinutes: UInt16
    /// After this time no occurrence begins; whole milliseconds.
    public let until: WallTime

    /// Creates the terms; at most one occurrence a minute.
    public init(everyMinutes: UInt16, until: WallTime) {
        precondition(everyMinutes != 0, "everyMinutes must be > 0, got 0")
        self.everyMinutes = everyMinutes
        self.until = until.wholeMilliseconds
    }

    /// The time between two occurrences.
    public var every: Duration { .seconds(Int64(self.everyMinutes) * 60) }
}
