package import WhereaboutsAPNS
package import WhereaboutsVocabulary

/// The contents of the sharing server's store at one moment.
package protocol RequestStoreView {
    /// Returns a request; nil when it was never accepted, or was pruned.
    func request(_ id: RequestID) throws -> RequestRecord?

    /// Returns the latest registration of each of a sharer's devices, ordered by identifier.
    func registrations(of sharer: PublicIdentity) throws -> [Registration]

    /// Returns the earliest first registration of a sharer's present devices; nil if there are none.
    func registeredSince(_ sharer: PublicIdentity) throws -> WallTime?

    /// Returns until when the removal of a device by its sharer is stored; nil if there is no record.
    func removalEnd(of device: DeviceID, of sharer: PublicIdentity) throws -> WallTime?

    /// Returns whether a sharer revoked a grant.
    func isRevoked(_ grant: GrantID, of sharer: PublicIdentity) throws -> Bool

    /// Returns the number of a sharer's revoked grants, without the given one.
    func revocationCount(of sharer: PublicIdentity, besides grant: GrantID) throws -> Int

    /// Returns the date of a grant's ``Pace``, if stored.
    func paidUntil(under grant: Grant) throws -> WallTime?

    /// Returns the date of the ``Pace`` of a sharer's pushes, if stored.
    func pushesPaidUntil(of sharer: PublicIdentity) throws -> WallTime?

    /// Returns at most `max` unfinished requests to a sharer's device: first requests that people made, then occurrences of
    /// schedules, each the oldest first.
    func pending(for sharer: PublicIdentity, max: Int) throws -> [RequestRecord]

    /// Returns how many requests and used grants of the sharer are stored, to limit new requests under `grant`.
    func load(under grant: Grant) throws -> RequestLoad

    /// Returns a stored live share.
    func following(_ id: RequestID) throws -> FollowingRecord?

    /// Counts the current live shares of a sharer's devices, without those of removed ones.
    func followingCount(of sharer: PublicIdentity, now: WallTime) throws -> Int

    /// Returns a stored schedule.
    func schedule(_ id: RequestID) throws -> ScheduleRecord?

    /// Counts the active schedules that ask the sharer of `grant`, and how many of them are under `grant`.
    func scheduleLoad(under grant: Grant) throws -> ScheduleLoad

    /// Returns at most `max` schedules whose next occurrence has come, the earliest first.
    func schedulesDue(now: WallTime, max: Int) throws -> [RequestID]

    /// Returns at most `max` occurrences of a schedule after the given one, in order.
    func occurrences(of schedule: RequestID, after occurrence: UInt16, max: Int) throws -> [RequestRecord]

    /// Returns the link at an address.
    func link(_ address: LinkAddress) throws -> LinkedGrant?

    /// Returns how many requests under the grant of the link at an address were answered since the link was stored.
    func useCount(of link: LinkAddress) throws -> Int

    /// Counts the links of a sharer.
    func linkCount(of sharer: PublicIdentity) throws -> Int

    /// Returns how full the store is.
    func room() throws -> StoreRoom

    /// Returns at most `max` requests whose deadline has come: ordered by deadline, and by age if deadlines are
    /// equal.
    func due(now: WallTime, max: Int) throws -> [RequestID]

    /// Returns the earliest deadline of all requests, and of the next occurrences of all schedules.
    func nextDeadline() throws -> WallTime?

    /// Announces the reads that follow, so that a store that answers over a network does them in one round trip.
    ///
    /// A read that was not announced costs a round trip and has the same result. A store whose reads cost no round trip ignores the call,
    /// and does not evaluate the argument.
    func prefetch(_ reads: @autoclosure () throws -> [StoreRead]) throws
}

extension RequestStoreView {
    package func prefetch(_ reads: @autoclosure () throws -> [StoreRead]) throws {}

    /// The maximum number of requests that a device is notified of at once.
    ///
    /// Source: ``SharingPolicy/pendingPerSharerMax``; a device reads at most 64 kB of a reply.
    package static var pendingMax: Int { 16 }

    /// Returns whether the sharer of a grant revoked it.
    package func isRevoked(_ grant: Grant) throws -> Bool { try self.isRevoked(grant.id, of: grant.sharer) }

    /// Returns the unfinished requests that a sharer's device is notified of at once.
    package func pending(for sharer: PublicIdentity) throws -> [RequestRecord] {
        try self.pending(for: sharer, max: Self.pendingMax)
    }
}

/// The changes of the store; none of them returns anything, so that they can be sent together.
package protocol RequestStoreChanges {
    /// Stores a registration until `end`, replacing the same device's earlier one.
    ///
    /// A known device keeps the time of its first registration.
    func put(_ registration: Registration, at now: WallTime, until end: WallTime) throws

    /// Deletes the registration of a device.
    func drop(_ registration: Registration) throws

    /// Stores until `end` that a device was removed; for each sharer the newest ``SharingPolicy/removedDevicesPerSharerMax``.
    func put(_ removal: DeviceRemoval, until end: WallTime) throws

    /// Stores a revocation until its grant has ended; a stored one stays unchanged.
    func put(_ revocation: Revocation) throws

    /// Stores a link at a free address.
    func put(_ link: LinkedGrant) throws

    /// Counts an answered request for the link to its grant, if there is a link.
    func countUse(of grant: Grant) throws

    /// Deletes the links to a grant.
    func dropLinks(to grant: GrantID, of sharer: PublicIdentity) throws

    /// Adds a request with a new ID.
    func insert(_ request: Signed<Request>, _ life: RequestLife) throws

    /// Stores the date of a grant's ``Pace``; a date in the past is not needed.
    func put(paidUntil time: WallTime, under grant: Grant) throws

    /// Stores the date of the ``Pace`` of a sharer's pushes; a date in the past is not needed.
    func put(pushesPaidUntil time: WallTime, of sharer: PublicIdentity) throws

    /// Stores the state of a request.
    func put(_ life: RequestLife, of id: RequestID) throws

    /// Marks a sharer's requests and live shares, including finished ones, as astray: the device that received them no
    /// longer answers for its person.
    func strand(requestsTo sharer: PublicIdentity) throws

    /// Marks a sharer's astray requests and live shares, including finished ones: the device that received them was
    /// removed.
    func disown(strandedRequestsTo sharer: PublicIdentity) throws

    /// Stores the signed answer to a request.
    func put(answer: [UInt8], to id: RequestID) throws

    /// Stores a live share, replacing its earlier state.
    func put(_ following: FollowingRecord) throws

    /// Stores a schedule, replacing its earlier state.
    func put(_ schedule: ScheduleRecord) throws

    /// Deletes the finished occurrences of a schedule up to the given one.
    func dropOccurrences(of schedule: RequestID, through occurrence: UInt16) throws

    /// Removes the token from the sharer's device, unless the device registered another one meanwhile.
    func pause(_ token: DeviceToken, of sharer: PublicIdentity) throws
}

/// The operations within one transaction: either all of its changes become durable, or none.
package protocol RequestStoreTransaction: RequestStoreView, RequestStoreChanges {
    /// Deletes finished requests, live shares and schedules past their storage time, unrenewed registrations, and all
    /// data of ended grants, including links.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - max: the maximum number of rows of each kind to delete.
    /// - Returns: whether more rows may have to be deleted.
    /// - Throws: the store's error; nothing was deleted then.
    func prune(now: WallTime, max: Int) throws -> Bool
}

/// An event that changes of the store must survive.
package enum StoreLoss: Sendable {
    /// `kill -9`, or a crash of the process; the machine keeps running.
    case crash
    /// A power failure, or a crash of the machine.
    case powerFailure
}
