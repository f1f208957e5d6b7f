public import WhereaboutsVocabulary

/// A summary of a device's registered tokens.
public struct Enrolment: Sendable, Hashable {
    /// The number of tokens.
    public let tokensCount: Int
    /// Whether a push was ever accepted for one of the tokens, which shows that a provider uses this device.
    public let isKnown: Bool
    /// When the oldest token was issued; nil if there is none.
    public let since: WallTime?
    /// Whether the store has room for more tokens, and for pushes to the present ones.
    public let hasRoom: Bool

    /// Creates a summary.
    public init(tokensCount: Int, isKnown: Bool, since: WallTime?, hasRoom: Bool) {
        self.tokensCount = tokensCount
        self.isKnown = isKnown
        self.since = since
        self.hasRoom = hasRoom
    }

    /// The age at which a device is no longer new; otherwise a stranger's devices could push to each other and be trusted at once.
    ///
    /// Source: our choice.
    static let newcomerAge = Duration.seconds(86_400)

    /// The trust that a device's connection deserves.
    func trust(now: WallTime) -> ConnectionTrust {
        guard let since else { return .stranger }
        return self.isKnown && since.duration(to: now) >= Self.newcomerAge ? .known : .enrolled
    }
}
