/// A link that a sharer created.
public struct SharedLink: Sendable {
    /// The fewest characters of a password.
    ///
    /// Source: our choice; each guess needs the link, a third of a second, and a request that the server's limit on misses counts.
    public static let passwordCharactersMin = 6

    /// The URL; anyone who has it can request the position.
    public let text: String
    /// The name that the sharer gave the link.
    public let name: String
    /// The grant to the key in the link.
    public let grant: Signed<Grant>
}
