/// A device's answer as the server sees it: bytes of one size, whatever they say.
package struct SealedAnswer: Signable {
    package static var domain: String { "whereabouts/answer/v1" }

    /// The request it answers.
    package let request: RequestID
    /// Whose device answers.
    package let sharer: PublicIdentity
    /// HPKE's encapsulated key, then the ciphertext.
    package let sealed: [UInt8]

    /// Creates an answer.
    package init(request: RequestID, sharer: PublicIdentity, sealed: [UInt8]) {
        self.request = request
        self.sharer = sharer
        self.sealed = sealed
    }

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
