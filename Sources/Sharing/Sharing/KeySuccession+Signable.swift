internal import WhereaboutsVocabulary

extension KeySuccession: Signable {
    package static var domain: String { "whereabouts/succession/v1" }

    package var signer: PublicIdentity { self.old }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.old.bytes)
        writer.fixed(self.new.bytes)
        writer.integer(self.issued.milliseconds)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            old: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            new: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            issued: try reader.time()
        )
        guard self.old != self.new else { throw reader.error("the old and the new key are the same") }
    }
}

extension Signed where Value == KeySuccession {
    private static let prefix = "successor-v1."

    /// The message as one word of text.
    public var text: String { Self.prefix + Base64URL.text(of: self.bytes) }

    /// Whether a text has the prefix of such a message.
    public static func begins(_ text: some StringProtocol) -> Bool { text.hasPrefix(Self.prefix) }

    /// Reads ``text``, and checks the old key's signature.
    ///
    /// - Throws: ``SharingError`` when the text is not such a message, or was changed.
    public init(text: some StringProtocol) throws {
        guard Self.begins(text) else {
            throw SharingError(
                .badText,
                "This text does not replace an old key with a new one. Copy the whole line that `whereabouts identity replace` printed."
            )
        }
        try self.init(pasted: text.dropFirst(Self.prefix.count))
    }
}
