public import WhereaboutsVocabulary

/// A request that needs the person's approval.
public struct Question: Sendable, Hashable {
    /// The ID of the request, which its requester chose.
    public let request: RequestID
    /// The digest of the request; another request may have the same ID.
    package let digest: RequestDigest
    /// The grant that permits the request.
    public let grant: GrantID
    /// The person who asks.
    public let requester: PublicIdentity
    /// The precision of the position that the requester would get.
    public let precision: Precision
    /// How long the requester would follow, in minutes; nil for a single answer.
    public let followMinutes: UInt16?
    /// When the question expires; later answers are rejected.
    public let until: WallTime

    package init(_ request: Request, until: WallTime) {
        let grant = request.grant.value
        self.request = request.id
        self.digest = request.digest
        self.grant = grant.id
        self.requester = grant.requester
        self.precision = min(request.precision, grant.precision)
        self.followMinutes = request.followMinutes
        self.until = until.wholeMilliseconds
    }

    /// The ID, the grant, the requester, the precision, the minutes of a live share (0: none), and the time in milliseconds since 1970.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.fixed(self.request.bytes)
        writer.fixed(self.grant.bytes)
        writer.fixed(self.requester.bytes)
        writer.integer(self.precision.rawValue)
        writer.integer(self.followMinutes ?? 0)
        writer.integer(self.until.milliseconds)
        return writer.bytes
    }

    /// Reads ``bytes``.
    init(_ digest: RequestDigest, bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the question \(digest.fileName)")
        self.digest = digest
        self.request = try reader.value(RequestID.byteCount, RequestID.init(bytes:))
        self.grant = try reader.value(GrantID.byteCount, GrantID.init(bytes:))
        self.requester = try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        self.precision = try reader.enumeration()
        let minutes: UInt16 = try reader.integer()
        self.followMinutes = minutes == 0 ? nil : minutes
        self.until = try reader.time()
        try reader.end()
    }
}
