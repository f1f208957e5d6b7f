public import WhereaboutsVocabulary

/// A person's signed request for a grant, with everything that the other person's program needs to reply.
///
/// It allows nothing: the person who accepts it compares the safety number and issues a grant. Anyone who reads it in transit sees the
/// server's address and the person's public key. Its times are whole milliseconds.
public struct Invitation: Sendable, Hashable {
    /// The person who wants to ask, and signs.
    public let requester: PublicIdentity
    /// When the invitation was created.
    public let issued: WallTime
    /// When the invitation expires.
    public let expires: WallTime
    /// The sharing server's address: `https://host:port`.
    public let server: String
    /// The certificates to trust for this server instead of the system's, in DER; empty: the system's.
    public let trustRoots: [[UInt8]]
    /// The requester's own name for themselves, which must be shown as foreign text.
    public let name: String
    /// Whether the requester also offers a grant, after a reply with an invitation.
    public let offersGrant: Bool
    /// The group that the invitation is for; nil: it asks for a grant.
    public let group: GroupOffer?

    /// The maximum number of certificates that an invitation carries.
    ///
    /// Source: our choice; a private authority has one certificate, and two while it is replaced.
    package static let trustRootsMax = 4
    /// The maximum number of bytes of one certificate.
    ///
    /// Source: our choice; a certificate with an RSA key of 4,096 bits has about 1,400 bytes.
    package static let trustRootBytesMax = 2048
    /// The maximum number of bytes of a name; a longer one is cut.
    package static let nameBytesMax = 64
    /// The longest time for which an invitation can be accepted.
    ///
    /// Source: our choice; people forget a safety number that they heard a month ago.
    package static let lifetimeMax: Duration = .seconds(31 * 86_400)

    /// Creates an invitation from its fields.
    public init(
        requester: PublicIdentity,
        issued: WallTime,
        expires: WallTime,
        server: String,
        trustRoots: [[UInt8]],
        name: String,
        offersGrant: Bool = false,
        group: GroupOffer? = nil
    ) {
        self.requester = requester
        self.issued = issued.wholeMilliseconds
        self.expires = expires.wholeMilliseconds
        self.server = server
        self.trustRoots = trustRoots
        self.name = PlainText.of(name, bytesMax: Self.nameBytesMax)
        self.offersGrant = offersGrant
        self.group = group
    }

    /// Checks whether the invitation can be accepted.
    ///
    /// - Throws: ``SharingError`` when it has expired, is valid for too long, or its group has ended.
    package func check(now: WallTime) throws(SharingError) {
        guard now < self.expires else {
            throw SharingError(.badText, "the invitation has expired; ask for a new one, and check the clock")
        }
        guard self.expires <= now.advanced(by: Self.lifetimeMax) else {
            throw SharingError(
                .badText,
                "the invitation is valid for longer than 31 days, which is not allowed; ask for a new one"
            )
        }
        if let group = self.group, group.notAfter <= now {
            throw SharingError(.badText, "The group \(group.name) has ended. Ask its founder for a new one.")
        }
    }
}
