internal import Vocabulary

extension Request: Signable {
    /// The fields that follow, in one byte, as bits.
    private struct Form: OptionSet {
        let rawValue: UInt8

        static let full = Form(rawValue: 1)
        static let follow = Form(rawValue: 16)
        static let all: Form = [.full, .follow]
    }

    package static var domain: String { "whereabouts/request/v1" }

    package var domain: String { self.followMinutes == nil ? Self.domain : "whereabouts/request/v2" }

    package var signer: PublicIdentity { self.grant.value.requester }

    package func verifyParts() throws {
        _ = try self.grant.verified()
        // Before any push: a request that cannot be answered would cost the device a place and a push.
        try RecipientKey.check(self.publicKey, suite: self.suite)
    }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.id.bytes)
        writer.fixed(self.grant.bytes)
        var form: Form = self.precision == .full ? .full : []
        if self.followMinutes != nil { form.insert(.follow) }
        writer.integer(form.rawValue)
        writer.integer(self.issued.milliseconds)
        writer.integer(self.expires.milliseconds)
        writer.integer(self.suite.rawValue)
        writer.fixed(self.publicKey)
        if let followMinutes = self.followMinutes { writer.integer(followMinutes) }
    }

    package init(from reader: inout ByteReader) throws {
        let id = try reader.value(RequestID.byteCount, RequestID.init(bytes:))
        let grant = try Signed<Grant>(from: &reader)
        let form = Form(rawValue: try reader.integer())
        guard Form.all.isSuperset(of: form) else {
            throw reader.error("\(form.rawValue) is no form of a request of version 1 or 2")
        }
        let issued = try reader.time()
        let expires = try reader.time()
        let suite = try reader.enumeration(Suite.self)
        let publicKey = try reader.fixed(suite.publicKeyByteCount)
        let followMinutes = form.contains(.follow) ? try reader.integer(UInt16.self) : nil
        guard followMinutes != 0 else { throw reader.error("a following of no time is none") }
        self.init(
            id: id,
            grant: grant,
            precision: form.contains(.full) ? .full : .reduced,
            suite: suite,
            publicKey: publicKey,
            issued: issued,
            expires: expires,
            followMinutes: followMinutes
        )
    }
}
