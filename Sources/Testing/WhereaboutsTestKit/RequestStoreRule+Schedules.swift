internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

extension RequestStoreRule {
    static func schedulesAreKeptWithTheirEnd(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let (request, now) = (try bench.scheduleRequest(2), bench.now)
        let (id, grant) = (request.value.id, request.value.grant.value)
        #expect(try await store.read { try $0.schedule(id) } == nil)
        let next = ScheduleRecord.Next(occurrence: 1, time: bench.after(900))
        let going = ScheduleRecord(request: request, next: next, end: nil, keptUntil: bench.after(4000))
        try await store.transaction { try $0.put(going) }
        #expect(try await store.read { try $0.schedule(id) } == going)
        #expect(try await store.read { try $0.scheduleLoad(under: grant) } == ScheduleLoad(ofSharer: 1, underGrant: 1))
        let other = try bench.grant(9).value
        #expect(try await store.read { try $0.scheduleLoad(under: other) } == ScheduleLoad(ofSharer: 1, underGrant: 0))
        #expect(try await store.read { try $0.nextDeadline() } == next.time)
        #expect(try await store.read { try $0.schedulesDue(now: now, max: 5) } == [])
        #expect(try await store.read { try $0.schedulesDue(now: next.time, max: 5) } == [id])
        #expect(try await store.read { try $0.schedulesDue(now: next.time, max: 0) } == [])
        let end = FollowingRecord.End(reason: .byFollower, statement: [1, 2])
        let ended = ScheduleRecord(request: request, next: nil, end: end, keptUntil: bench.after(100))
        try await store.transaction { try $0.put(ended) }
        #expect(try await store.read { try $0.schedule(id) } == ended)
        #expect(try await store.read { try $0.scheduleLoad(under: grant) } == ScheduleLoad(ofSharer: 0, underGrant: 0))
        #expect(try await store.read { try $0.schedulesDue(now: next.time, max: 5) } == [])
        try await bench.prune(at: 99)
        #expect(try await store.read { try $0.schedule(id) } == ended)
        try await bench.prune(at: 100)
        #expect(try await store.read { try $0.schedule(id) } == nil)
    }

    static func occurrencesAreKeptForTheirRequester(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let (request, person) = (try bench.scheduleRequest(2), try bench.request(7))
        let (id, grant) = (request.value.id, request.value.grant.value)
        let life = RequestLife(
            restoring: .pushed(giveUp: bench.after(1500)),
            history: [RequestState(.accepted, at: bench.now, reason: "r")],
            expires: request.occurrence(1).value.expires,
            policy: SharingPolicy()
        )
        try await store.transaction { store in
            for occurrence in [2, 1] as [UInt16] { try store.insert(request.occurrence(occurrence), life) }
            try store.insert(person, life)
        }
        #expect(
            try await store.read { try $0.occurrences(of: id, after: 0, max: 9) }.map(\.request.value.occurrence) == [
                1, 2,
            ]
        )
        #expect(
            try await store.read { try $0.occurrences(of: id, after: 1, max: 9) }.map(\.request.value.occurrence) == [2]
        )
        #expect(
            try await store.read { try $0.occurrences(of: id, after: 0, max: 1) }.map(\.request.value.occurrence) == [1]
        )
        // Only people's requests count towards the limits, and they come first.
        let load = try await store.read { try $0.load(under: grant) }
        #expect(load == RequestLoad(kept: 1, pending: 1, pendingUnderGrant: 1, otherGrantsInUse: 0))
        #expect(try await bench.pending().map(\.value.occurrence).first == 0)
        let first = request.occurrence(1)
        let skipped = RequestLife(
            restoring: .skipped,
            history: life.history,
            expires: life.expires,
            policy: SharingPolicy()
        )
        try await store.transaction { try $0.put(skipped, of: first.value.id) }
        #expect(try await bench.record(first)?.life.state == .skipped)
        let kept = 900 + 600 + Int(ScheduleRecord.kept.components.seconds)
        try await bench.prune(at: kept - 1)
        #expect(try await bench.record(first) != nil)
        try await bench.prune(at: kept)
        #expect(try await bench.record(first) == nil)
        // An unfinished occurrence is not dropped.
        try await store.transaction { try $0.dropOccurrences(of: id, through: 2) }
        #expect(try await bench.record(request.occurrence(2)) != nil)
        let now = bench.after(2000)
        try await bench.change(request.occurrence(2)) { $0.answerReceived([1], now: now) }
        try await store.transaction { try $0.dropOccurrences(of: id, through: 2) }
        #expect(try await bench.record(request.occurrence(2)) == nil)
    }

    static func theBudgetOfADeviceIsKept(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let (sharer, until) = (bench.sharer.publicIdentity, bench.after(360))
        #expect(try await store.read { try $0.pushesPaidUntil(of: sharer) } == nil)
        try await store.transaction { try $0.put(pushesPaidUntil: until, of: sharer) }
        #expect(try await store.read { try $0.pushesPaidUntil(of: sharer) } == until)
        let other = bench.requester.publicIdentity
        #expect(try await store.read { try $0.pushesPaidUntil(of: other) } == nil)
        try await bench.prune(at: 359)
        #expect(try await store.read { try $0.pushesPaidUntil(of: sharer) } == until)
        try await bench.prune(at: 360)
        #expect(try await store.read { try $0.pushesPaidUntil(of: sharer) } == nil)
    }
}
