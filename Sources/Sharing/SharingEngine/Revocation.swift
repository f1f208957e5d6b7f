public import WhereaboutsVocabulary

/// A sharer's statement that one of their grants no longer holds.
public struct Revocation: Sendable, Hashable {
    /// The grant that no longer holds.
    public let grant: GrantID
    /// The sharer; the revocation has effect on grants of this sharer alone.
    public let sharer: PublicIdentity
    /// The grant's own end, after which nobody needs to remember the revocation.
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
