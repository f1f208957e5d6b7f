internal import WhereaboutsVocabulary

extension FollowingEnd: Signable {
    package static var domain: String { "whereabouts/following-end/v1" }

    package var signer: PublicIdentity { self.author }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.request.bytes)
        writer.fixed(self.author.bytes)
        writer.integer(self.time.milliseconds)
        writer.integer(self.reason.rawValue)
    }

    package init(from reader: inout ByteReader) throws {
        self.init(
            request: try reader.value(RequestID.byteCount, RequestID.init(bytes:)),
            author: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            time: try reader.time(),
            reason: try reader.enumeration()
        )
    }
}
