/// Somebody who asks.
public struct RequesterFiles: Sendable {
    /// The folder with the identity.
    public let profile: String
    /// The public identity, as text.
    public let id: String
    /// The file that contains the grant.
    public let grant: String
}
