public import Vocabulary

/// A request that is answered only if the person says yes.
public struct Question: Sendable, Hashable {
    /// The request.
    public let request: RequestID
    /// The grant that it is made under.
    public let grant: GrantID
    /// The one who asks.
    public let requester: PublicIdentity
    /// How exactly they would know.
    public let precision: Precision
    /// Until when an answer counts.
    public let until: WallTime

    package init(_ request: Request, until: WallTime) {
        let grant = request.grant.value
        self.init(
            request: request.id,
            grant: grant.id,
            requester: grant.requester,
            precision: min(request.precision, grant.precision),
            until: until
        )
    }

    private init(
        request: RequestID,
        grant: GrantID,
        requester: PublicIdentity,
        precision: Precision,
        until: WallTime
    ) {
        self.request = request
        self.grant = grant
        self.requester = requester
        self.precision = precision
        self.until = until.wholeMilliseconds
    }

    /// The grant, the requester, the precision, and the time in milliseconds since 1970.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.fixed(self.grant.bytes)
        writer.fixed(self.requester.bytes)
        writer.integer(self.precision.rawValue)
        writer.integer(self.until.milliseconds)
        return writer.bytes
    }

    /// Reads what ``bytes`` writes.
    init(_ request: RequestID, bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the question about the request \(request)")
        self.init(
            request: request,
            grant: try reader.value(GrantID.byteCount, GrantID.init(bytes:)),
            requester: try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:)),
            precision: try reader.enumeration(),
            until: try reader.time()
        )
        try reader.end()
    }
}
