internal import WhereaboutsVocabulary

/// One line that a person hands to another: an invitation, a grant, the link to a new key, or several of them joined by `+`.
///
/// ```
/// whereabouts:invite-v1.…                 asks for a grant
/// grant-v1.…                              lets the other one ask
/// grant-v1.…+whereabouts:invite-v1.…      the reply to an invitation for both directions
/// grant-v1.…+successor-v1.…               from a person whose key was replaced; the grant may be missing
/// …+successor-v1.…+successor-v1.…         from a person whose key was replaced several times, the oldest succession first
/// ```
///
/// Line breaks, and the indents and `>` with which programs quote, are ignored, because no part of a line contains them.
public struct HandedText: Sendable, Hashable {
    /// The sender's grant for the reader.
    public private(set) var grant: Signed<Grant>?
    /// The sender's invitation.
    public private(set) var invitation: Signed<Invitation>?
    /// The messages in which the sender's earlier keys name the next one, at most ``successionsMax``, the oldest first.
    public private(set) var successions: [Signed<KeySuccession>] = []

    /// The maximum number of successions in a line.
    ///
    /// Source: our choice; a friend who missed more of them was out of touch for long and can compare safety numbers, and the line with a
    /// grant still fits into a QR code.
    package static let successionsMax = 4
    private static let separator: Character = "+"

    private var senders: [PublicIdentity] {
        [self.grant?.value.sharer, self.invitation?.value.requester, self.successions.last?.value.new].compactMap { $0 }
    }

    /// Joins the texts of one person into one.
    public static func text(
        grant: Signed<Grant>? = nil,
        invitation: Signed<Invitation>? = nil,
        successions: [Signed<KeySuccession>] = []
    ) -> String {
        ([grant?.text, invitation?.text].compactMap { $0 } + successions.map(\.text))
            .joined(separator: String(self.separator))
    }

    /// Whether a text begins with the prefix of an invitation, a grant or a succession.
    public static func begins(_ text: String) -> Bool {
        let text = text.unwrapped
        return Signed<Invitation>.begins(text) || Signed<Grant>.begins(text) || Signed<KeySuccession>.begins(text)
    }

    /// Reads ``text(grant:invitation:successions:)``, and checks the signatures.
    ///
    /// - Throws: ``SharingError`` when a part has another kind, was changed, comes twice, or is another person's.
    public init(text: String) throws {
        let parts = text.unwrapped.split(separator: Self.separator, omittingEmptySubsequences: false)
        guard parts.count <= 2 + Self.successionsMax else { throw Self.malformed }
        for part in parts {
            guard !part.contains(where: \.isWhitespace) else { throw Self.malformed }
            if Signed<Invitation>.begins(part), self.invitation == nil {
                self.invitation = try Signed(text: String(part))
            } else if Signed<KeySuccession>.begins(part), self.successions.count < Self.successionsMax {
                self.successions.append(try Signed(text: part))
            } else if self.grant == nil {
                self.grant = try Signed(text: String(part))
            } else {
                throw Self.malformed
            }
        }
        let steps = self.successions.map(\.value)
        guard Set(self.senders).count == 1, zip(steps, steps.dropFirst()).allSatisfy({ $0.new == $1.old }),
            Set(steps.map(\.old) + steps.suffix(1).map(\.new)).count == (steps.isEmpty ? 0 : steps.count + 1)
        else { throw Self.malformed }
    }

    private static var malformed: SharingError {
        SharingError(
            .badText,
            "This is not a line that whereabouts printed, or its parts come from different people. Copy the whole line that was sent."
        )
    }
}

extension Signed where Value: Signable {
    /// Reads a message from its base64url text, and checks the signatures.
    ///
    /// - Throws: ``SharingError`` whose message is for the person who pasted the text.
    init(pasted text: some StringProtocol) throws {
        do {
            // A text that was cut is often not even base64url.
            self = try Self(bytes: Base64URL.bytes(of: text) ?? [])
            _ = try self.verified()
        } catch let error as SharingError where error.code == .badBytes || error.code == .badSignature {
            throw SharingError(
                error.code,
                "This line was altered or cut. Copy the whole line again, or ask for it again."
            )
        }
    }
}

extension StringProtocol {
    /// The text as one line, without the line breaks, indents and quote marks that other programs added.
    var unwrapped: String {
        self.split(whereSeparator: \.isNewline).map { line in
            let rest = line.drop { $0.isWhitespace || $0 == ">" || $0 == "|" }
            return rest.prefix(rest.count - rest.reversed().prefix { $0.isWhitespace }.count)
        }.joined()
    }
}
