/// The number of requests to one sharer that the server stores, without occurrences of schedules.
public struct RequestLoad: Sendable, Hashable {
    /// How many there are, finished or not, until their expiry.
    public let kept: Int
    /// How many of them are unfinished.
    public let pending: Int
    /// How many of the unfinished ones are under the grant in question.
    public let pendingUnderGrant: Int
    /// How many other grants of the sharer have a stored pace.
    public let otherGrantsInUse: Int

    /// Creates a load.
    public init(kept: Int, pending: Int, pendingUnderGrant: Int, otherGrantsInUse: Int) {
        self.kept = kept
        self.pending = pending
        self.pendingUnderGrant = pendingUnderGrant
        self.otherGrantsInUse = otherGrantsInUse
    }
}
