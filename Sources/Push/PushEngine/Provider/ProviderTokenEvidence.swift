/// The host's finding about the `authorization` of a request.
public enum ProviderTokenEvidence: Sendable, Hashable {
    /// There is no `authorization`, or an empty one.
    case missing
    /// It is not a bearer token that can be read.
    case malformed
    /// No key of that team and id is configured.
    case unknownKey
    /// The key is known, and the signature is not its.
    case badSignature
    /// The signature was verified with the key that the claims name.
    case verified(ProviderClaims)
}
