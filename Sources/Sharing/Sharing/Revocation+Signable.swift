internal import WhereaboutsVocabulary

extension Revocation: Signable {
    package static var domain: String { "whereabouts/revocation/v1" }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.grant.bytes)
        writer.fixed(self.sharer.bytes)
        writer.integer(self.notAfter.milliseconds)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            grant: try reader.value(GrantID.byteCount, GrantID.init(bytes:)),
            sharer: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            notAfter: try reader.time()
        )
    }
}
