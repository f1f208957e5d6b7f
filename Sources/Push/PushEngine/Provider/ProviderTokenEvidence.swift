/// The host's finding about the `authorization` of a request.
public enum ProviderTokenEvidence: Sendable, Hashable {
    /// There is no `authorization` header, or it is empty.
    case missing
    /// The header is not a readable bearer token.
    case malformed
    /// No key of that team and id is configured.
    case unknownKey
    /// The key is known, but the signature was not made with it.
    case badSignature
    /// The signature is valid for the key that the claims name.
    case verified(ProviderClaims)
}
