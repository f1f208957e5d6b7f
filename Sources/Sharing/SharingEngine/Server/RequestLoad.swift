/// The number of requests to one sharer that the server stores, without occurrences of schedules.
public struct RequestLoad: Sendable, Hashable {
    /// The number of requests that have not expired, finished or not.
    public let kept: Int
    /// The number of unfinished requests.
    public let pending: Int
    /// The number of unfinished requests under the grant of the new request.
    public let pendingUnderGrant: Int
    /// How many other grants of the sharer have a stored date of their ``Pace``.
    public let otherGrantsInUse: Int

    /// Creates a load.
    public init(kept: Int, pending: Int, pendingUnderGrant: Int, otherGrantsInUse: Int) {
        self.kept = kept
        self.pending = pending
        self.pendingUnderGrant = pendingUnderGrant
        self.otherGrantsInUse = otherGrantsInUse
    }
}
