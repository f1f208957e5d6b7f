internal import WhereaboutsVocabulary

extension SealedUpdate: Signable {
    package static var domain: String { "whereabouts/update/v1" }

    package var signer: PublicIdentity { self.sharer }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.request.bytes)
        writer.fixed(self.sharer.bytes)
        writer.counted(self.sealed)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            request: try reader.value(RequestID.byteCount, RequestID.init(bytes:)),
            sharer: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            sealed: try reader.counted()
        )
    }
}
