/// A device's registered tokens, counted.
public struct Enrolment: Sendable, Hashable {
    /// How many there are.
    public let tokensCount: Int
    /// Whether a push was ever admitted for one of them: somebody relies on this device.
    public let isKnown: Bool
    /// Whether the store has room for more tokens, beside the pushes for those there are.
    public let hasRoom: Bool

    /// Creates a count.
    public init(tokensCount: Int, isKnown: Bool, hasRoom: Bool) {
        self.tokensCount = tokensCount
        self.isKnown = isKnown
        self.hasRoom = hasRoom
    }
}
