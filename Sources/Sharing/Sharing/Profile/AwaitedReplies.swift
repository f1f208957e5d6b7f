internal import WhereaboutsVocabulary

/// The invitations that this person sent together with a grant, until the other person's grant arrives.
struct AwaitedReplies: Sendable {
    private let folder: ProfileFolder

    init(profile: ProfileFolder) { self.folder = profile.folder("awaited") }

    /// The people who may have left a grant, and the invitations to which it is a reply; deletes those whose time is over.
    func all(now: WallTime) -> [(sharer: PublicIdentity, invitation: Signed<Invitation>)] {
        self.folder.names.compactMap { name in
            guard let sharer = Hex.bytes(of: name).flatMap(PublicIdentity.init(bytes:)),
                let invitation = self.folder.text(of: name).flatMap({ try? Signed<Invitation>(text: $0) })
            else { return nil }
            guard now < invitation.value.expires.advanced(by: SharingPolicy.linkLifetimeMax) else {
                self.stop(sharer)
                return nil
            }
            return (sharer, invitation)
        }
    }

    func add(_ invitation: Signed<Invitation>, to sharer: PublicIdentity) throws {
        try self.folder.add(Hex.text(of: sharer.bytes), Array(invitation.text.utf8))
    }

    func stop(_ sharer: PublicIdentity) { self.folder.remove(Hex.text(of: sharer.bytes)) }
}
