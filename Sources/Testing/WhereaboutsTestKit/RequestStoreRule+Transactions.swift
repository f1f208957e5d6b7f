internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// The rules about reads and changes within one transaction, and about transactions that run at once.
extension RequestStoreRule {
    /// Each of 40 transactions adds a second to what it read; none of the seconds is lost.
    static func transactionsOnTheSameRowsRunInTurn(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let (request, sharer) = (try bench.request(2), bench.sharer.publicIdentity)
        try await bench.insert(request, at: 0)
        try await store.transaction { [now = bench.now] in try $0.put(pushesPaidUntil: now, of: sharer) }
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                let key = number.isMultiple(of: 2) ? StoreKey.sharer(sharer) : .request(request.value.id)
                group.addTask {
                    try await store.transaction(of: key) { store in
                        let before = try #require(try store.pushesPaidUntil(of: sharer))
                        try store.put(pushesPaidUntil: before.advanced(by: .seconds(1)), of: sharer)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.read { try $0.pushesPaidUntil(of: sharer) } == bench.after(40))
    }

    static func aTransactionReadsItsOwnChanges(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        try await bench.register()
        try await bench.register(token: [2], issued: 1, device: bench.device(1, chosen: 1))
        for byte in [2, 3, 5] as [UInt8] { try await bench.insert(bench.request(byte), at: 0) }
        let (reads, changes) = (try Self.reads(bench), try Self.changes(bench))
        var before = try await store.read { view in try reads.map { try view.result(of: $0) } }
        for (number, change) in changes.enumerated() {
            let within = try await store.transaction(of: .sharer(bench.sharer.publicIdentity)) { store in
                try store.prefetch(reads)
                let first = try reads.map { try store.result(of: $0) }
                try change(store)
                return (first, try reads.map { try store.result(of: $0) })
            }
            let after = try await store.read { view in try reads.map { try view.result(of: $0) } }
            #expect(within.0 == before, "before change \(number)")
            #expect(before != after, "change \(number)")
            let stale = zip(reads, zip(within.1, after)).filter { $0.1.0 != $0.1.1 }.map(\.0)
            #expect(stale == [], "after change \(number)")
            before = after
        }
    }

    /// Every read of a transaction, except that of the store's fill level, which stays as it was at the beginning.
    private static func reads(_ bench: RequestStoreBench) throws -> [StoreRead] {
        let (sharer, grant) = (bench.sharer.publicIdentity, try bench.grant().value)
        let (schedule, now) = (try bench.scheduleRequest(7).value, bench.now)
        let requests = try [2, 3, 4, 5].map { try bench.request($0).value.id } + [schedule.id]
        let device = DeviceID(high: 0, low: 1)
        return requests.map { .request($0) } + [
            .registrations(of: sharer), .registeredSince(sharer), .removalEnd(device, of: sharer),
            .isRevoked(grant.id, of: sharer), .revocationCount(of: sharer, besides: GrantID(high: 0, low: 0)),
            .paidUntil(under: grant), .pushesPaidUntil(of: sharer), .pending(for: sharer, max: 2),
            .pending(for: sharer, max: 16), .load(under: grant), .load(under: try bench.grant(9).value),
            .following(try bench.followRequest(6).value.id), .followingCount(of: sharer, now: now),
            .schedule(schedule.id), .scheduleLoad(under: grant), .schedulesDue(now: bench.after(900), max: 9),
            .occurrences(of: schedule.id, after: 0, max: 9), .link(try Self.link(bench).address),
            .useCount(of: try Self.link(bench).address), .linkCount(of: sharer), .due(now: bench.after(60), max: 9),
            .nextDeadline,
        ]
    }

    private static func link(_ bench: RequestStoreBench) throws -> LinkedGrant {
        LinkedGrant(
            address: LinkAddress(high: 0, low: 1),
            sharer: bench.sharer.publicIdentity,
            grant: try bench.grant().value.id,
            notAfter: bench.after(60),
            sealed: Array(repeating: 1, count: LinkedGrant.sealedByteCount)
        )
    }

    /// Changes of every kind; each one changes the result of a read.
    private static func changes(
        _ bench: RequestStoreBench
    ) throws -> [@Sendable (any RequestStoreTransaction) throws -> Void] {
        let (sharer, grant, now) = (bench.sharer.publicIdentity, try bench.grant().value, bench.now)
        let (first, second, third) = (try bench.request(2), try bench.request(3), try bench.request(4))
        let (followed, scheduled, link) = (
            try bench.followRequest(6), try bench.scheduleRequest(7), try Self.link(bench)
        )
        let life = RequestLife(
            restoring: .pushed(giveUp: bench.after(30)),
            history: [RequestState(.pushed, at: now, reason: "r")],
            expires: bench.after(120),
            policy: SharingPolicy()
        )
        let over = RequestLife(
            restoring: .failed,
            history: life.history,
            expires: life.expires,
            policy: SharingPolicy()
        )
        let next = ScheduleRecord.Next(occurrence: 1, time: bench.after(900))
        let token = try #require(DeviceToken(bytes: [2]))
        let device = try bench.device(1, chosen: 1)
        let (soon, later) = (bench.after(10), bench.after(4000))
        return [
            { try $0.put(life, of: first.value.id) },
            { try $0.put(over, of: first.value.id) },
            { try $0.put(answer: [1], to: second.value.id) },
            { try $0.insert(third, life) },
            { try $0.insert(scheduled.occurrence(1), over) },
            { try $0.dropOccurrences(of: scheduled.value.id, through: 1) },
            { try $0.put(FollowingRecord(request: followed, end: nil, keptUntil: later)) },
            { try $0.strand(requestsTo: sharer) },
            { try $0.disown(strandedRequestsTo: sharer) },
            { try $0.put(ScheduleRecord(request: scheduled, next: next, end: nil, keptUntil: later)) },
            { try $0.put(paidUntil: soon, under: grant) },
            { try $0.put(pushesPaidUntil: soon, of: sharer) },
            { try $0.put(link) },
            { try $0.countUse(of: grant) },
            { try $0.dropLinks(to: grant.id, of: sharer) },
            { try $0.put(Revocation(of: grant)) },
            { try $0.pause(token, of: sharer) },
            { try $0.drop(Registration(sharer: sharer, token: [], topic: "a", issued: now, device: device)) },
            { try $0.put(DeviceRemoval(device: device.id, sharer: sharer), until: later) },
            {
                try $0.put(
                    Registration(sharer: sharer, token: [3], topic: "a", issued: now, device: device),
                    at: now,
                    until: later
                )
            },
            { _ = try $0.prune(now: soon, max: 9) },
        ]
    }
}
