public import WhereaboutsVocabulary

/// The terms of a group, as part of an invitation.
///
/// The founder's invitation has no mailbox. The reply is the new member's invitation with the same terms and their mailbox.
public struct GroupOffer: Sendable, Hashable {
    /// The name under which each member's profile stores the group.
    public let id: GroupID
    /// The member who confirms all others.
    public let founder: PublicIdentity
    /// The founder's name for the group, which must be shown as foreign text.
    public let name: String
    /// The highest precision of the answers that members give each other.
    public let precision: Precision
    /// When the grants between the members end.
    public let notAfter: WallTime
    /// The secret of the server's entry where the founder posts rosters for the new member; empty in the founder's invitation.
    package var mailbox: [UInt8]

    /// The bytes of a secret of a group.
    package static let secretByteCount = 32

    /// Creates an offer from its fields.
    package init(
        id: GroupID,
        founder: PublicIdentity,
        name: String,
        precision: Precision,
        notAfter: WallTime,
        mailbox: [UInt8] = []
    ) {
        self.id = id
        self.founder = founder
        self.name = GivenName.shown(name, bytesMax: SharingGroup.nameBytesMax)
        self.precision = precision
        self.notAfter = notAfter.wholeMilliseconds
        self.mailbox = mailbox
    }
}

/// The identifier of a group.
public typealias GroupID = Identifier128<GroupOffer>
