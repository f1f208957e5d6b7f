internal import WhereaboutsVocabulary

extension Invitation: Signable {
    package static var domain: String { "whereabouts/invitation/v1" }

    package var signer: PublicIdentity { self.requester }

    /// A flag in the byte with the number of certificates: the invitation offers a grant.
    private static var offer: UInt8 { 0x80 }
    /// Another flag in the byte with the number of certificates: the terms of a group follow the name.
    private static var groupTerms: UInt8 { 0x40 }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.requester.bytes)
        writer.integer(self.issued.milliseconds)
        writer.integer(self.expires.milliseconds)
        writer.counted(Array(self.server.utf8))
        let form = (self.offersGrant ? Self.offer : 0) | (self.group == nil ? 0 : Self.groupTerms)
        writer.integer(UInt8(clamping: self.trustRoots.count) | form)
        for certificate in self.trustRoots { writer.counted(certificate) }
        writer.counted(Array(self.name.utf8))
        self.group?.write(to: &writer)
    }

    package init(from reader: inout ByteReader) throws {
        let requester = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let issued = try reader.time()
        let expires = try reader.time()
        let server = try reader.counted()
        let form = try reader.integer(UInt8.self)
        let count = Int(form & ~(Self.offer | Self.groupTerms))
        guard count <= Self.trustRootsMax else {
            throw reader.error("it has more than \(Self.trustRootsMax) certificates")
        }
        let trustRoots = try (0..<count).map { _ in try reader.counted() }
        let name = try reader.counted()
        guard trustRoots.allSatisfy({ $0.count <= Self.trustRootBytesMax }), name.count <= Self.nameBytesMax,
            let server = String(validating: server, as: UTF8.self), let text = String(validating: name, as: UTF8.self)
        else { throw reader.error("a field is too long, or not UTF-8") }
        let group = try form & Self.groupTerms == 0 ? nil : GroupOffer(from: &reader)
        if let group, (group.founder == requester) != group.mailbox.isEmpty {
            throw reader.error("the founder's invitation must have no mailbox, and a reply must have one")
        }
        self.init(
            requester: requester,
            issued: issued,
            expires: expires,
            server: server,
            trustRoots: trustRoots,
            name: text,
            offersGrant: form & Self.offer != 0,
            group: group
        )
        // Reject a name that cannot be shown and stored exactly as it was signed.
        guard self.name == text else { throw reader.error("the name contains control characters") }
    }
}

extension Signed where Value == Invitation {
    private static let prefix = "invite-v1."
    private static let scheme = "whereabouts:"
    /// The maximum number of characters of a text: four certificates and the rest, in base64url.
    static let textBytesMax = 16_384

    /// The invitation as a link, which is one word of text.
    public var text: String { Self.scheme + Self.prefix + Base64URL.text(of: self.bytes) }

    /// Whether a text has an invitation's prefix.
    public static func begins(_ text: some StringProtocol) -> Bool {
        text.hasPrefix(Self.scheme) || text.hasPrefix(Self.prefix)
    }

    /// Reads ``text``, with or without its scheme and white space around it, and checks the requester's signature.
    ///
    /// - Throws: ``SharingError`` when the text is not an invitation, was changed, or names no server.
    public init(text: String) throws {
        guard text.utf8.count <= Self.textBytesMax else { throw Self.malformed }
        let line = text.unwrapped
        let body = line.hasPrefix(Self.scheme) ? line.dropFirst(Self.scheme.count) : line[...]
        guard body.hasPrefix(Self.prefix), !body.contains(where: \.isWhitespace) else { throw Self.malformed }
        try self.init(pasted: body.dropFirst(Self.prefix.count))
        _ = try ServerSettings(server: self.value.server)
    }

    private static var malformed: SharingError {
        SharingError(
            .badText,
            "this is not an invitation: expected one word that begins with \(Self.scheme)\(Self.prefix); "
                + "copy all of what `whereabouts invite` printed"
        )
    }
}
