public import WhereaboutsVocabulary

/// The content of a provider token with a valid signature.
public struct ProviderClaims: Sendable, Hashable {
    /// The team that signed (`iss`).
    public let teamID: String
    /// The key that signed (`kid`).
    public let keyID: String
    /// When the token was signed (`iat`).
    public let issuedAt: WallTime
    /// The apps to which the key may push, as configured here.
    public let scope: TopicScope
    /// The relay's sender with this key; nil: the key belongs to no sender.
    public let sender: Sender?

    /// Creates claims.
    public init(teamID: String, keyID: String, issuedAt: WallTime, scope: TopicScope, sender: Sender? = nil) {
        self.teamID = teamID
        self.keyID = keyID
        self.issuedAt = issuedAt
        self.scope = scope
        self.sender = sender
    }
}
