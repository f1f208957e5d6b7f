public import Vocabulary

/// What a provider token says, once read.
public struct ProviderClaims: Sendable, Hashable {
    /// The team that signed (`iss`).
    public let teamID: String
    /// The key that signed (`kid`).
    public let keyID: String
    /// When it was signed (`iat`).
    public let issuedAt: WallTime

    /// Creates claims.
    public init(teamID: String, keyID: String, issuedAt: WallTime) {
        self.teamID = teamID
        self.keyID = keyID
        self.issuedAt = issuedAt
    }
}
