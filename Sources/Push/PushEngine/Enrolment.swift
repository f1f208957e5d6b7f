public import WhereaboutsVocabulary

/// A device's registered tokens, counted.
public struct Enrolment: Sendable, Hashable {
    /// How many there are.
    public let tokensCount: Int
    /// Whether a push was ever accepted for one of them, so that a provider relies on this device.
    public let isKnown: Bool
    /// When the oldest of them was issued; nil: there is none.
    public let since: WallTime?
    /// Whether the store has room for more tokens, in addition to pushes for the present ones.
    public let hasRoom: Bool

    /// Creates a count.
    public init(tokensCount: Int, isKnown: Bool, since: WallTime?, hasRoom: Bool) {
        self.tokensCount = tokensCount
        self.isKnown = isKnown
        self.since = since
        self.hasRoom = hasRoom
    }

    /// The age from which a device is not new, so that a stranger's devices that push to each other do not count as relied on at once.
    ///
    /// Source: our choice.
    static let newcomerAge = Duration.seconds(86_400)

    /// The trust that a device's connection deserves.
    func trust(now: WallTime) -> ConnectionTrust {
        guard let since else { return .stranger }
        return self.isKnown && since.duration(to: now) >= Self.newcomerAge ? .known : .enrolled
    }
}
