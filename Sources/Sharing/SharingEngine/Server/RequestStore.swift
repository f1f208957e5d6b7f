package import WhereaboutsAPNS
package import WhereaboutsVocabulary

/// The contents of the sharing server's store, as one moment shows them.
package protocol RequestStoreView {
    /// Returns a request; nil when it was never accepted, or is pruned.
    func request(_ id: RequestID) throws -> RequestRecord?

    /// Returns the latest statement of each of a sharer's devices where it takes pushes, in the order of their identifiers.
    func registrations(of sharer: PublicIdentity) throws -> [Registration]

    /// Returns when the first of a sharer's devices that are registered was; nil: none is.
    func registeredSince(_ sharer: PublicIdentity) throws -> WallTime?

    /// Returns until when it is remembered that a sharer removed a device, if that is.
    func removalEnd(of device: DeviceID, of sharer: PublicIdentity) throws -> WallTime?

    /// Returns whether a sharer revoked a grant.
    func isRevoked(_ grant: GrantID, of sharer: PublicIdentity) throws -> Bool

    /// Returns how many grants of a sharer are revoked, one of them left out.
    func revocationCount(of sharer: PublicIdentity, besides grant: GrantID) throws -> Int

    /// Returns until when the pace of a grant is paid for, if that is kept.
    func paidUntil(under grant: Grant) throws -> WallTime?

    /// Returns until when the budget of a sharer's device is paid for, if that is kept.
    func devicePaidUntil(of sharer: PublicIdentity) throws -> WallTime?

    /// Returns the unfinished requests to a sharer's device, at most `max`: those of people, then turns of timers, the oldest first.
    func pending(for sharer: PublicIdentity, max: Int) throws -> [RequestRecord]

    /// Counts the requests to the device of a grant's sharer, and the grants of the sharer that are in use.
    func load(under grant: Grant) throws -> RequestLoad

    /// Returns a following that began and is kept.
    func following(_ id: RequestID) throws -> FollowingRecord?

    /// Counts the followings of a sharer's devices that go on; those of a removed one do not.
    func followingCount(of sharer: PublicIdentity, now: WallTime) throws -> Int

    /// Returns a timer that is kept.
    func timer(_ id: RequestID) throws -> TimerRecord?

    /// Counts the timers that go on and ask the device of a grant's sharer.
    func timerLoad(under grant: Grant) throws -> TimerLoad

    /// Returns the timers whose next turn has come, at most `max`, the earliest first.
    func timersDue(now: WallTime, max: Int) throws -> [RequestID]

    /// Returns the turns of a timer after one, in their order, at most `max`.
    func turns(of timer: RequestID, after turn: UInt16, max: Int) throws -> [RequestRecord]

    /// Returns the link at an address.
    func link(_ address: LinkAddress) throws -> LinkedGrant?

    /// Counts the links of a sharer.
    func linkCount(of sharer: PublicIdentity) throws -> Int

    /// Returns how full the store is.
    func room() throws -> StoreRoom

    /// Returns the requests whose deadline has come, at most `max`: the earliest deadline first, of equal ones the request
    /// that came first.
    func due(now: WallTime, max: Int) throws -> [RequestID]

    /// Returns the earliest deadline of all requests, and of all timers the next turn.
    func nextDeadline() throws -> WallTime?
}

extension RequestStoreView {
    /// The most requests that a device is notified of at once.
    ///
    /// Source: ``SharingPolicy/pendingPerDeviceMax``, and the 64 kB that a device reads of a reply.
    package static var pendingMax: Int { 16 }

    /// Returns whether the sharer of a grant revoked it.
    package func isRevoked(_ grant: Grant) throws -> Bool { try self.isRevoked(grant.id, of: grant.sharer) }

    /// Returns the unfinished requests that a sharer's device is notified of at once.
    package func pending(for sharer: PublicIdentity) throws -> [RequestRecord] {
        try self.pending(for: sharer, max: Self.pendingMax)
    }
}

/// The changes of the store within one transaction: when it ends, all of them are on disk, or none.
package protocol RequestStoreTransaction: RequestStoreView {
    /// Keeps a registration in the place of the same device's earlier one, until `end`.
    ///
    /// A device that was registered before stays registered since then.
    func put(_ registration: Registration, at now: WallTime, until end: WallTime) throws

    /// Deletes the registration of a device.
    func drop(_ registration: Registration) throws

    /// Remembers until `end` that a device was removed; of one sharer the newest ``SharingPolicy/removedDevicesPerSharerMax``.
    func put(_ removal: DeviceRemoval, until end: WallTime) throws

    /// Keeps a revocation until its grant has ended; one that is kept stays as it is.
    func put(_ revocation: Revocation) throws

    /// Keeps a link at an address where there is none.
    func put(_ link: LinkedGrant) throws

    /// Deletes the links to a grant.
    func dropLinks(to grant: GrantID, of sharer: PublicIdentity) throws

    /// Adds a request of a new id.
    func insert(_ request: Signed<Request>, _ life: RequestLife) throws

    /// Keeps until when the pace of a grant is paid for, as long as that says anything.
    func put(paidUntil time: WallTime, under grant: Grant) throws

    /// Keeps until when the budget of a sharer's device is paid for, as long as that says anything.
    func put(devicePaidUntil time: WallTime, of sharer: PublicIdentity) throws

    /// Keeps where a request is.
    func put(_ life: RequestLife, of id: RequestID) throws

    /// Records of all requests to a sharer, finished ones too, and of all followings, that the device which may have been notified of them answers no
    /// more.
    func strand(requestsTo sharer: PublicIdentity) throws

    /// Records of all requests to a sharer that are astray, finished ones too, and of all such followings, that the device which may have been
    /// told of them is removed.
    func disown(strandedRequestsTo sharer: PublicIdentity) throws

    /// Keeps the signed answer to a request.
    func put(answer: [UInt8], to id: RequestID) throws

    /// Keeps a following, in the place of what is kept of it.
    func put(_ following: FollowingRecord) throws

    /// Keeps a timer, in the place of what is kept of it.
    func put(_ timer: TimerRecord) throws

    /// Deletes the finished turns of a timer up to one.
    func dropTurns(of timer: RequestID, through turn: UInt16) throws

    /// Removes the token from the sharer's device that has it, unless the device registered another one meanwhile.
    func pause(_ token: DeviceToken, of sharer: PublicIdentity) throws

    /// Deletes finished requests, followings and timers past the time for which they are kept, registrations that nobody renewed, and all kept about grants that have
    /// ended, links too: nobody can ask for it.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - max: how many of each kind.
    /// - Returns: whether there may be more.
    /// - Throws: the store's error; nothing was deleted then.
    func prune(now: WallTime, max: Int) throws -> Bool
}
