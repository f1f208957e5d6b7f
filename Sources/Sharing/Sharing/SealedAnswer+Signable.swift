internal import WhereaboutsVocabulary

extension SealedAnswer: Signable {
    package static var domain: String { "whereabouts/answer/v1" }

    /// The size of the longest signed answer, which is sealed to an X-Wing key.
    ///
    /// Source: counted, in `SealingTests`.
    package static let longestByteCount = 1506

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
