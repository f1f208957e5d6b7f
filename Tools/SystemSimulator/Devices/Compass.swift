internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// A device's compass: it turns once in six minutes, and measures magnetic and true headings.
enum Compass {
    /// The heading that it measures, four degrees of variation east.
    static func heading(at instant: Instant, wall: WallTime) -> Heading {
        let angle = Int32(instant.microseconds / 10_000 % 36_000)
        return Heading(
            magnetic: angle,
            geographic: (angle + 400) % 36_000,
            time: wall,
            arrival: EngineInstant(sinceStart: .microseconds(instant.microseconds))
        )
    }
}
