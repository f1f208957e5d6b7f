public import WhereaboutsVocabulary

/// A push in progress to a device.
///
/// It serves all waiting requests, because the extension answers them together.
public struct Wake: Sendable, Hashable {
    /// Until when an answer to the push can be expected.
    public let end: WallTime
    /// Whether the push service accepted the push.
    public let isTaken: Bool

    /// Creates a wake.
    public init(end: WallTime, isTaken: Bool) {
        self.end = end
        self.isTaken = isTaken
    }
}
