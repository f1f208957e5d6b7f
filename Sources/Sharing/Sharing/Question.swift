public import WhereaboutsVocabulary

/// A request that needs the person's approval.
public struct Question: Sendable, Hashable {
    /// The request.
    public let request: RequestID
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
        self.init(
            request: request.id,
            grant: grant.id,
            requester: grant.requester,
            precision: min(request.precision, grant.precision),
            followMinutes: request.followMinutes,
            until: until
        )
    }

    private init(
        request: RequestID,
        grant: GrantID,
        requester: PublicIdentity,
        precision: Precision,
        followMinutes: UInt16?,
        until: WallTime
    ) {
        self.request = request
        self.grant = grant
        self.requester = requester
        self.precision = precision
        self.followMinutes = followMinutes
        self.until = until.wholeMilliseconds
    }

    /// The grant, the requester, the precision, the minutes of a live share (0: none), and the time in milliseconds since 1970.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.fixed(self.grant.bytes)
        writer.fixed(self.requester.bytes)
        writer.integer(self.precision.rawValue)
        writer.integer(self.followMinutes ?? 0)
        writer.integer(self.until.milliseconds)
        return writer.bytes
    }

    /// Reads ``bytes``.
    init(_ request: RequestID, bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the question about the request \(request)")
        self.init(
            request: request,
            grant: try reader.value(GrantID.byteCount, GrantID.init(bytes:)),
            requester: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            precision: try reader.enumeration(),
            followMinutes: try Self.followMinutes(reader.integer()),
            until: try reader.time()
        )
        try reader.end()
    }

    private static func followMinutes(_ minutes: UInt16) -> UInt16? { minutes == 0 ? nil : minutes }
}
