internal import Vocabulary

extension Grant: Signable {
    package static var domain: String { "whereabouts/grant/v1" }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.id.bytes)
        writer.fixed(self.sharer.bytes)
        writer.fixed(self.requester.bytes)
        writer.integer(self.precision.rawValue)
        writer.integer(self.notBefore.milliseconds)
        writer.integer(self.notAfter.milliseconds)
        writer.integer(self.intervalMin)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            id: try reader.value(GrantID.byteCount, GrantID.init(bytes:)),
            sharer: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            requester: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            precision: try reader.enumeration(),
            notBefore: try reader.time(),
            notAfter: try reader.time(),
            intervalMin: try reader.integer()
        )
    }
}

extension Signed where Value == Grant {
    private static let prefix = "grant-v1."

    /// The grant as one line of text, to be handed to the requester.
    public var text: String { Self.prefix + Base64URL.text(of: self.bytes) }

    /// Reads what ``text`` writes, with or without white space around it, and checks the sharer's signature.
    ///
    /// - Throws: ``SharingError`` when the text is no grant, or was changed.
    public init(text: String) throws {
        let line = text.split(whereSeparator: \.isWhitespace)
        guard line.count == 1, let body = line.first, body.hasPrefix(Self.prefix),
            let bytes = Base64URL.bytes(of: body.dropFirst(Self.prefix.count))
        else {
            throw SharingError(
                .badText,
                "this is no grant: one line that begins with \(Self.prefix) is due; "
                    + "copy the whole line that `whereabouts approve` printed"
            )
        }
        try self.init(bytes: bytes)
        _ = try self.verified()
    }
}
