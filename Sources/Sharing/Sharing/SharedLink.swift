/// A link that was made.
public struct SharedLink: Sendable {
    /// The fewest characters of a password.
    ///
    /// Source: our choice; a guess needs the link, and costs a third of a second and a place in the server's bound on misses.
    public static let passwordCharactersMin = 6

    /// The address that lets anyone who has it ask.
    public let text: String
    /// The name that its person gave it.
    public let name: String
    /// The grant that it carries.
    public let grant: Signed<Grant>
}
