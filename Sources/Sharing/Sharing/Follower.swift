public import WhereaboutsSharingEngine
public import WhereaboutsVocabulary

/// A requester who follows the device.
public struct Follower: Sendable, Hashable {
    /// The request that began the live share.
    public let request: RequestID
    /// The person who follows.
    public let requester: PublicIdentity
    /// The precision of the positions that the follower gets.
    public let precision: Precision
    /// When the live share began.
    public let since: WallTime
    /// When the live share ends, unless the sharer or the follower ends it earlier.
    public let until: WallTime

    init(_ request: Request) {
        let grant = request.grant.value
        self.request = request.id
        self.requester = grant.requester
        self.precision = min(request.precision, grant.precision)
        self.since = request.issued
        self.until = request.followingEnd ?? request.issued
    }
}
