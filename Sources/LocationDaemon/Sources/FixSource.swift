internal import LocationEngine

/// What a source of fixes reports.
enum FixSourceEvent: Sendable {
    /// The source can be reached and searches.
    case ready
    /// A position.
    case fix(Fix)
    /// The source is gone or has no fix, and why; it goes on trying.
    case lost(String)
}

/// Something that tells where the device is while it is on.
protocol FixSource: Sendable {
    /// Powers it up; harmless when it is on.
    func start()
    /// Powers it down; harmless when it is off.
    func stop()
}
