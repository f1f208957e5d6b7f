internal import Crypto
internal import WhereaboutsVocabulary

extension Request: Signable {
    /// A byte of flags: the precision, and which optional fields follow.
    private struct Form: OptionSet {
        let rawValue: UInt8

        static let full = Form(rawValue: 1)
        static let follow = Form(rawValue: 16)
        static let repeats = Form(rawValue: 32)
        static let all: Form = [.full, .follow, .repeats]
    }

    package static var domain: String { "whereabouts/request/v1" }

    /// The size of the longest signed request: an occurrence of a schedule, with an X-Wing key and a grant with every optional field.
    ///
    /// Source: counted, in `SealedPushTests`.
    package static let longestByteCount = 1514

    package var signer: PublicIdentity { self.grant.value.requester }

    package func verifyParts() throws {
        _ = try self.grant.verified()
        // Check before any push: a request that cannot be answered would cost a push.
        try RecipientKey.check(self.publicKey, suite: self.suite)
    }

    package func write(to writer: inout ByteWriter) {
        writer.fixed(self.firstID.bytes)
        writer.fixed(self.grant.bytes)
        var form: Form = self.precision == .full ? .full : []
        if self.followMinutes != nil { form.insert(.follow) }
        if self.repetition != nil { form.insert(.repeats) }
        writer.integer(form.rawValue)
        writer.integer(self.firstIssued.milliseconds)
        writer.integer(self.firstExpires.milliseconds)
        writer.integer(self.suite.rawValue)
        writer.fixed(self.publicKey)
        if let followMinutes = self.followMinutes { writer.integer(followMinutes) }
        if let repetition = self.repetition {
            writer.integer(repetition.everyMinutes)
            writer.integer(repetition.until.milliseconds)
        }
    }

    /// Writes the number of the occurrence, which is unsigned because the server chooses it.
    package func writeUnsigned(to writer: inout ByteWriter) {
        if self.repetition != nil { writer.integer(self.occurrence) }
    }

    package func withUnsigned(from reader: inout ByteReader) throws -> Request {
        self.repetition == nil ? self : self.occurrence(try reader.integer())
    }

    package init(from reader: inout ByteReader) throws {
        let id = try reader.value(RequestID.byteCount, RequestID.init(bytes:))
        let grant = try Signed<Grant>(from: &reader)
        let form = Form(rawValue: try reader.integer())
        guard Form.all.isSuperset(of: form), !form.isSuperset(of: [.follow, .repeats]) else {
            throw reader.error("\(form.rawValue) is not a form of a request")
        }
        let issued = try reader.time()
        let expires = try reader.time()
        let suite = try reader.enumeration(Suite.self)
        let publicKey = try reader.fixed(suite.publicKeyByteCount)
        let followMinutes = form.contains(.follow) ? try reader.integer(UInt16.self) : nil
        guard followMinutes != 0 else { throw reader.error("a live share must last at least one minute") }
        let repetition = form.contains(.repeats) ? try Self.repetition(from: &reader) : nil
        self.init(
            id: id,
            grant: grant,
            precision: form.contains(.full) ? .full : .reduced,
            suite: suite,
            publicKey: publicKey,
            issued: issued,
            expires: expires,
            followMinutes: followMinutes,
            repetition: repetition
        )
    }

    private static func repetition(from reader: inout ByteReader) throws -> Repetition {
        let everyMinutes = try reader.integer(UInt16.self)
        guard everyMinutes > 0 else { throw reader.error("a schedule needs an interval of a minute or more") }
        return Repetition(everyMinutes: everyMinutes, until: try reader.time())
    }
}

extension Request {
    /// The SHA-256 of the request's signed bytes and of the number of its occurrence, two bytes.
    var digest: RequestDigest {
        var writer = ByteWriter()
        writer.integer(self.occurrence)
        let hash = Array(SHA256.hash(data: self.signedBytes + writer.bytes))
        guard let digest = RequestDigest(bytes: hash) else { preconditionFailure("SHA-256 gave \(hash.count) bytes") }
        return digest
    }
}

extension RequestDigest {
    /// The name of a file about the request, in base64url.
    package var fileName: String { Base64URL.text(of: self.bytes) }

    /// Reads ``fileName``; nil for the name of another file.
    init?(fileName: String) {
        guard let bytes = Base64URL.bytes(of: fileName) else { return nil }
        self.init(bytes: bytes)
    }
}

extension Signed<Request> {
    /// The size of every posted request, so that TLS records do not show its kind.
    ///
    /// Source: the padded size of a request in a sealed push.
    package static var postedByteCount: Int { SealedPush.paddedByteCount }

    /// The request as it is posted: its bytes, then zeros.
    package var postedBytes: [UInt8] {
        let bytes = self.bytes
        return bytes + Array(repeating: 0, count: Swift.max(0, Self.postedByteCount - bytes.count))
    }

    /// Reads ``postedBytes``, or an unpadded request.
    package init(postedBytes: [UInt8]) throws {
        var reader = ByteReader(postedBytes, name: "the message \(Request.domain)")
        self = try Self(from: &reader)
        try reader.zeros()
    }
}
