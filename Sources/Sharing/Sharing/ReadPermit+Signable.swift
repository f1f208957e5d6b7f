internal import WhereaboutsVocabulary

extension ReadPermit: Signable {
    package static var domain: String { "whereabouts/read/v1" }

    package var signer: PublicIdentity { self.requester }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.request.bytes)
        writer.fixed(self.requester.bytes)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            request: try reader.value(RequestID.byteCount, RequestID.init(bytes:)),
            requester: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        )
    }
}
