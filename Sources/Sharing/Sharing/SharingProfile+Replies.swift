internal import Foundation
internal import WhereaboutsVocabulary

/// The invitations that this person sent together with a grant, until the other person's grant arrives.
extension SharingProfile {
    private var awaitedPath: String { self.path + "/awaited" }

    /// Invites a person who may leave a grant on the server in reply; a repeated call returns the same invitation while it is valid.
    ///
    /// - Throws: ``SharingError`` as ``invitation(name:for:offersGrant:group:)`` does, or when it cannot be stored.
    package func invitation(
        name: String,
        awaitingReplyFrom sharer: PublicIdentity
    ) throws -> Signed<Invitation> {
        let now = WallTime.now
        let known = self.awaitedReplies(now: now).first { $0.sharer == sharer && now < $0.invitation.value.expires }
        if let known { return known.invitation }
        let invitation = try self.invitation(name: name)
        try ProfileFile.makeDirectory(self.awaitedPath)
        let path = "\(self.awaitedPath)/\(Hex.text(of: sharer.bytes))"
        try ProfileFile.replace(path, Array(invitation.text.utf8))
        return invitation
    }

    /// Whether a grant may wait on the server.
    package var awaitsReplies: Bool { !self.awaitedReplies(now: .now).isEmpty }

    /// The people who may have left a grant, and the invitations to which it is a reply; deletes those whose time is over.
    func awaitedReplies(now: WallTime) -> [(sharer: PublicIdentity, invitation: Signed<Invitation>)] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.awaitedPath)) ?? []
        return names.sorted().compactMap { name in
            guard let sharer = Hex.bytes(of: name).flatMap(PublicIdentity.init(bytes:)),
                let text = try? String(contentsOfFile: "\(self.awaitedPath)/\(name)", encoding: .utf8),
                let invitation = try? Signed<Invitation>(text: text)
            else { return nil }
            guard now < invitation.value.expires.advanced(by: SharingPolicy.linkLifetimeMax) else {
                self.stopAwaiting(sharer)
                return nil
            }
            return (sharer, invitation)
        }
    }

    func stopAwaiting(_ sharer: PublicIdentity) {
        try? FileManager.default.removeItem(atPath: "\(self.awaitedPath)/\(Hex.text(of: sharer.bytes))")
    }
}
