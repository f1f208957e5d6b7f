internal import Vocabulary

extension Request: Signable {
    package static var domain: String { "whereabouts/request/v1" }

    package var signer: PublicIdentity { self.grant.value.requester }

    package func verifyParts() throws {
        _ = try self.grant.verified()
        // Before any push: a request that cannot be answered would cost the device a place and a push.
        try RecipientKey.check(self.publicKey, suite: self.suite)
    }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.id.bytes)
        writer.fixed(self.grant.bytes)
        writer.integer(self.precision.rawValue)
        writer.integer(self.issued.milliseconds)
        writer.integer(self.expires.milliseconds)
        writer.integer(self.suite.rawValue)
        writer.fixed(self.publicKey)
    }

    package init(from reader: inout ByteReader) throws {
        let id = try reader.value(RequestID.byteCount, RequestID.init(bytes:))
        let grant = try Signed<Grant>(from: &reader)
        let precision = try reader.enumeration(Precision.self)
        let issued = try reader.time()
        let expires = try reader.time()
        let suite = try reader.enumeration(Suite.self)
        self.init(
            id: id,
            grant: grant,
            precision: precision,
            suite: suite,
            publicKey: try reader.fixed(suite.publicKeyByteCount),
            issued: issued,
            expires: expires
        )
    }
}
