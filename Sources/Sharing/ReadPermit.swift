/// A requester's statement that the bearer may read the events of one request of theirs.
package struct ReadPermit: Signable {
    package static var domain: String { "whereabouts/read/v1" }

    /// The request whose events may be read.
    package let request: RequestID
    /// Who asked it.
    package let requester: PublicIdentity

    /// Creates the permit.
    package init(request: RequestID, requester: PublicIdentity) {
        self.request = request
        self.requester = requester
    }

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
