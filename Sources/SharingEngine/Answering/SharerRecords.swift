package import Vocabulary

/// A device's records of what its owner shares.
package protocol SharerRecords {
    /// Returns whether the owner revoked a grant.
    func isRevoked(_ grant: GrantID) -> Bool

    /// Records a request in the device's ``SeenRequests``, which are on disk when this returns.
    func remember(_ id: RequestID, policy: SharingPolicy, now: WallTime) throws -> SeenRequests.OnReceived

    /// Records a use of a grant in the device's ``GrantUses``, which are on disk when this returns.
    func use(_ grant: Grant, policy: SharingPolicy, now: WallTime) throws -> GrantUses.OnUsed
}
