package import APNS
package import Vocabulary

/// The contents of the sharing server's store, as one moment shows them.
package protocol RequestStoreView {
    /// Returns a request; nil when it was never accepted, or is pruned.
    func request(_ id: RequestID) throws -> RequestRecord?

    /// Returns the latest statement where a sharer's device takes pushes.
    func registration(of sharer: PublicIdentity) throws -> Registration?

    /// Returns whether the sharer of a grant revoked it.
    func isRevoked(_ grant: Grant) throws -> Bool

    /// Returns how many grants of a sharer are revoked, one of them left out.
    func revocationCount(of sharer: PublicIdentity, besides grant: GrantID) throws -> Int

    /// Returns when the last request under a grant was accepted, if one was.
    func lastAccepted(under grant: Grant) throws -> WallTime?

    /// Returns the unfinished requests to a sharer's device, oldest first.
    func pending(for sharer: PublicIdentity) throws -> [RequestRecord]

    /// Returns how many requests to a sharer's device are unfinished.
    func pendingCount(for sharer: PublicIdentity) throws -> Int

    /// Returns the requests whose deadline has come, at most `max`: the earliest deadline first, of equal ones the request
    /// that came first.
    func due(now: WallTime, max: Int) throws -> [RequestID]

    /// Returns the earliest deadline of all requests.
    func nextDeadline() throws -> WallTime?
}

/// The changes of the store within one transaction: all of them are on disk at its end, or none.
package protocol RequestStoreTransaction: RequestStoreView {
    /// Keeps a registration in the place of the sharer's earlier one.
    func put(_ registration: Registration) throws

    /// Keeps a revocation until its grant has ended; one that is kept stays as it is.
    func put(_ revocation: Revocation) throws

    /// Adds a request of a new id.
    func insert(_ request: Signed<Request>, _ life: RequestLife) throws

    /// Keeps when the last request under a grant was accepted, until the grant has ended.
    func put(lastAccepted time: WallTime, under grant: Grant) throws

    /// Keeps where a request is.
    func put(_ life: RequestLife, of id: RequestID) throws

    /// Keeps the signed answer to a request.
    func put(answer: [UInt8], to id: RequestID) throws

    /// Empties a sharer's device token, unless the device registered another one meanwhile.
    func pause(_ token: DeviceToken, of sharer: PublicIdentity) throws

    /// Deletes finished requests past their expiry, and all kept about grants that have ended: nobody can ask for it.
    func prune(now: WallTime) throws
}
