public import WhereaboutsVocabulary

/// A sharer's message that revokes one of their grants.
public struct Revocation: Sendable, Hashable {
    /// The revoked grant.
    public let grant: GrantID
    /// The sharer; the revocation affects only this sharer's grants.
    public let sharer: PublicIdentity
    /// The grant's end, after which the revocation can be forgotten.
    public let notAfter: WallTime

    /// Creates the revocation of `grant`.
    public init(of grant: Grant) {
        self.init(grant: grant.id, sharer: grant.sharer, notAfter: grant.notAfter)
    }

    /// Creates a revocation from its fields.
    public init(grant: GrantID, sharer: PublicIdentity, notAfter: WallTime) {
        self.grant = grant
        self.sharer = sharer
        self.notAfter = notAfter.wholeMilliseconds
    }
}
