/// One line that a person hands to another: an invitation, a grant, the link to a new key, or several of them joined by `+`.
///
/// ```
/// whereabouts:invite-v1.…                 asks for a grant
/// grant-v1.…                              lets the other one ask
/// grant-v1.…+whereabouts:invite-v1.…      the reply to an invitation for both directions
/// grant-v1.…+successor-v1.…               from a person whose key was replaced; either part may be missing
/// ```
public struct HandedText: Sendable, Hashable {
    /// The sender's grant for the reader.
    public private(set) var grant: Signed<Grant>?
    /// The sender's invitation.
    public private(set) var invitation: Signed<Invitation>?
    /// The message in which the sender's old key names their new one.
    public private(set) var succession: Signed<KeySuccession>?

    private static let separator: Character = "+"

    private var senders: [PublicIdentity] {
        [self.grant?.value.sharer, self.invitation?.value.requester, self.succession?.value.new].compactMap { $0 }
    }

    /// Joins the texts of one person into one.
    public static func text(
        grant: Signed<Grant>? = nil,
        invitation: Signed<Invitation>? = nil,
        succession: Signed<KeySuccession>? = nil
    ) -> String {
        [grant?.text, invitation?.text, succession?.text].compactMap { $0 }.joined(separator: String(self.separator))
    }

    /// Whether a text begins with the prefix of an invitation, a grant or a succession.
    public static func begins(_ text: String) -> Bool {
        Signed<Invitation>.begins(text) || Signed<Grant>.begins(text) || Signed<KeySuccession>.begins(text)
    }

    /// Reads ``text(grant:invitation:succession:)``, with or without white space around it, and checks the signatures.
    ///
    /// - Throws: ``SharingError`` when a part has another kind, was changed, comes twice, or is another person's.
    public init(text: String) throws {
        let words = text.split(whereSeparator: \.isWhitespace)
        let parts = words.first?.split(separator: Self.separator, omittingEmptySubsequences: false) ?? []
        guard words.count == 1, parts.count <= 3 else { throw Self.malformed }
        for part in parts {
            if Signed<Invitation>.begins(part), self.invitation == nil {
                self.invitation = try Signed(text: String(part))
            } else if Signed<KeySuccession>.begins(part), self.succession == nil {
                self.succession = try Signed(text: part)
            } else if self.grant == nil {
                self.grant = try Signed(text: String(part))
            } else {
                throw Self.malformed
            }
        }
        guard Set(self.senders).count == 1 else { throw Self.malformed }
    }

    private static var malformed: SharingError {
        SharingError(
            .badText,
            "This is not one line of whereabouts, or its parts are of different people. Copy the whole line that was sent."
        )
    }
}
