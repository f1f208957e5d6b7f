internal import WhereaboutsVocabulary

extension LinkedGrant: Signable {
    package static var domain: String { "whereabouts/link/v1" }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.address.bytes)
        writer.fixed(self.sharer.bytes)
        writer.fixed(self.grant.bytes)
        writer.integer(self.notAfter.milliseconds)
        writer.counted(self.sealed)
    }

    package init(from reader: inout ByteReader) throws {
        let address = try reader.value(LinkAddress.byteCount, LinkAddress.init(bytes:))
        let sharer = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        let grant = try reader.value(GrantID.byteCount, GrantID.init(bytes:))
        let notAfter = try reader.time()
        let sealed = try reader.counted()
        guard sealed.count == Self.sealedByteCount else {
            throw reader.error("a sealed grant has \(Self.sealedByteCount) bytes, not \(sealed.count)")
        }
        self.init(address: address, sharer: sharer, grant: grant, notAfter: notAfter, sealed: sealed)
    }
}
