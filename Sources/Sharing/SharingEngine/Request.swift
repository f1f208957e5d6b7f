public import WhereaboutsVocabulary

/// One question "where are you?", asked once, under a grant; its times are whole milliseconds.
public struct Request: Sendable, Hashable {
    /// The ID of the request, which a device answers once.
    ///
    /// Each occurrence of a schedule has its own ID: the first request's ID plus the number of the occurrence.
    public var id: RequestID { RequestID(high: self.firstID.high, low: self.firstID.low &+ UInt64(self.occurrence)) }
    /// The grant that permits the request; its requester signs the request.
    public let grant: Signed<Grant>
    /// The requested precision, at most the grant's.
    public let precision: Precision
    /// How the answer is sealed.
    public let suite: Suite
    /// The public key, fresh for this request, that the answer is sealed to.
    public let publicKey: [UInt8]
    /// When the request was issued; for an occurrence, its time.
    public var issued: WallTime {
        self.firstIssued.advanced(by: (self.repetition?.every ?? .zero) * Int(self.occurrence))
    }
    /// When the request expires.
    public var expires: WallTime {
        self.occurrence == 0 ? self.firstExpires : self.issued.advanced(by: Repetition.occurrenceLifetime)
    }
    /// How long the requester wants to follow, in minutes; nil for one answer.
    public let followMinutes: UInt16?
    /// The schedule that the requester wants; nil for one answer.
    public let repetition: Repetition?
    /// The number of the occurrence, 0 for the signed request; the server sets it, and no signature covers it.
    public internal(set) var occurrence: UInt16 = 0
    /// The ID of the signed request.
    package let firstID: RequestID
    package let firstIssued: WallTime
    /// When the first occurrence expires.
    package let firstExpires: WallTime

    /// Creates a request from its fields; a live share lasts at least a minute, and excludes a schedule.
    public init(
        id: RequestID,
        grant: Signed<Grant>,
        precision: Precision,
        suite: Suite,
        publicKey: [UInt8],
        issued: WallTime,
        expires: WallTime,
        followMinutes: UInt16? = nil,
        repetition: Repetition? = nil
    ) {
        precondition(followMinutes != 0, "followMinutes must be > 0, got 0")
        precondition(followMinutes == nil || repetition == nil, "a request follows or repeats, not both")
        self.firstID = id
        self.grant = grant
        self.precision = precision
        self.suite = suite
        self.publicKey = publicKey
        self.firstIssued = issued.wholeMilliseconds
        self.firstExpires = expires.wholeMilliseconds
        self.followMinutes = followMinutes
        self.repetition = repetition
    }
}
