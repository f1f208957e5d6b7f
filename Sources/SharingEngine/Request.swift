public import Vocabulary

/// One question "where are you?", asked once, under a grant; its times are whole milliseconds.
public struct Request: Sendable, Hashable {
    /// The name of the request; a device answers it once.
    public let id: RequestID
    /// The grant that allows it; its requester is the signer of the request.
    public let grant: Signed<Grant>
    /// How exact the answer is to be; at most what the grant allows.
    public let precision: Precision
    /// How the answer is sealed.
    public let suite: Suite
    /// The public key, fresh for this request, that the answer is sealed to.
    public let publicKey: [UInt8]
    /// When it was asked.
    public let issued: WallTime
    /// When nobody waits for the answer any more.
    public let expires: WallTime
    /// For how long the requester wants to follow, in minutes from then on; nil for one answer.
    public let followMinutes: UInt16?

    /// Creates a request from its fields; a following lasts at least a minute.
    public init(
        id: RequestID,
        grant: Signed<Grant>,
        precision: Precision,
        suite: Suite,
        publicKey: [UInt8],
        issued: WallTime,
        expires: WallTime,
        followMinutes: UInt16? = nil
    ) {
        precondition(followMinutes != 0, "followMinutes must be > 0, got 0")
        self.id = id
        self.grant = grant
        self.precision = precision
        self.suite = suite
        self.publicKey = publicKey
        self.issued = issued.wholeMilliseconds
        self.expires = expires.wholeMilliseconds
        self.followMinutes = followMinutes
    }
}
