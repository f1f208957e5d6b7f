package import WhereaboutsVocabulary

/// A read of the store as a value, so that several can be done in one round trip.
///
/// Each case is the function of ``RequestStoreView`` with its name.
package enum StoreRead: Sendable, Hashable {
    case request(RequestID)
    case registrations(of: PublicIdentity)
    case registeredSince(PublicIdentity)
    case removalEnd(DeviceID, of: PublicIdentity)
    case isRevoked(GrantID, of: PublicIdentity)
    case revocationCount(of: PublicIdentity, besides: GrantID)
    case paidUntil(under: Grant)
    case pushesPaidUntil(of: PublicIdentity)
    case pending(for: PublicIdentity, max: Int)
    case load(under: Grant)
    case following(RequestID)
    case followingCount(of: PublicIdentity, now: WallTime)
    case schedule(RequestID)
    case scheduleLoad(under: Grant)
    case schedulesDue(now: WallTime, max: Int)
    case occurrences(of: RequestID, after: UInt16, max: Int)
    case link(LinkAddress)
    case useCount(of: LinkAddress)
    case linkCount(of: PublicIdentity)
    case room
    case due(now: WallTime, max: Int)
    case nextDeadline

    /// The result of a read.
    package enum Result: Sendable, Hashable {
        case request(RequestRecord?)
        case requests([RequestRecord])
        case ids([RequestID])
        case registrations([Registration])
        case time(WallTime?)
        case flag(Bool)
        case count(Int)
        case load(RequestLoad)
        case following(FollowingRecord?)
        case schedule(ScheduleRecord?)
        case scheduleLoad(ScheduleLoad)
        case link(LinkedGrant?)
        case room(StoreRoom)
    }

    /// The requests that a device is notified of at once.
    static func pending(for sharer: PublicIdentity) -> Self {
        .pending(for: sharer, max: PrefetchedTransaction.pendingMax)
    }
}

extension RequestStoreView {
    /// Does one read.
    package func result(of read: StoreRead) throws -> StoreRead.Result {
        switch read {
        case .request(let id): .request(try self.request(id))
        case .registrations(let sharer): .registrations(try self.registrations(of: sharer))
        case .registeredSince(let sharer): .time(try self.registeredSince(sharer))
        case .removalEnd(let device, let sharer): .time(try self.removalEnd(of: device, of: sharer))
        case .isRevoked(let grant, let sharer): .flag(try self.isRevoked(grant, of: sharer))
        case .revocationCount(let sharer, let grant): .count(try self.revocationCount(of: sharer, besides: grant))
        case .paidUntil(let grant): .time(try self.paidUntil(under: grant))
        case .pushesPaidUntil(let sharer): .time(try self.pushesPaidUntil(of: sharer))
        case .pending(let sharer, let max): .requests(try self.pending(for: sharer, max: max))
        case .load(let grant): .load(try self.load(under: grant))
        case .following(let id): .following(try self.following(id))
        case .followingCount(let sharer, let now): .count(try self.followingCount(of: sharer, now: now))
        case .schedule(let id): .schedule(try self.schedule(id))
        case .scheduleLoad(let grant): .scheduleLoad(try self.scheduleLoad(under: grant))
        case .schedulesDue(let now, let max): .ids(try self.schedulesDue(now: now, max: max))
        case .occurrences(let id, let occurrence, let max):
            .requests(try self.occurrences(of: id, after: occurrence, max: max))
        case .link(let address): .link(try self.link(address))
        case .useCount(let address): .count(try self.useCount(of: address))
        case .linkCount(let sharer): .count(try self.linkCount(of: sharer))
        case .room: .room(try self.room())
        case .due(let now, let max): .ids(try self.due(now: now, max: max))
        case .nextDeadline: .time(try self.nextDeadline())
        }
    }
}
