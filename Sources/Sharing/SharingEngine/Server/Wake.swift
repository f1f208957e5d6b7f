public import WhereaboutsVocabulary

/// A push that is under way to a device, for all who ask meanwhile: its extension answers what waits, too.
public struct Wake: Sendable, Hashable {
    /// Until when it may be hoped for.
    public let end: WallTime
    /// Whether the push service has it.
    public let isTaken: Bool

    /// Creates a wake.
    public init(end: WallTime, isTaken: Bool) {
        self.end = end
        self.isTaken = isTaken
    }
}
