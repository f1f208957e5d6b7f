public import WhereaboutsVocabulary

/// A person's message, signed by their old key, that another key replaces it (ADR 0059).
///
/// A friend who knows the old key may accept the new one without comparing safety numbers. But a thief of the old key can sign such a
/// message, too, so friends accept only the first one, after they asked the person.
public struct KeySuccession: Sendable, Hashable {
    /// The key that signs.
    public let old: PublicIdentity
    /// The new key.
    public let new: PublicIdentity
    /// When the message was created.
    public let issued: WallTime

    /// Creates the statement.
    public init(old: PublicIdentity, new: PublicIdentity, issued: WallTime) {
        self.old = old
        self.new = new
        self.issued = issued.wholeMilliseconds
    }
}
