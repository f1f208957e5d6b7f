internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// The rules about the requests of a person who chooses another device.
extension RequestStoreRule {
    static func requestsGoAstray(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let (sharer, other) = (bench.sharer.publicIdentity, bench.requester.publicIdentity)
        try await bench.register()
        let (open, over, later) = (try bench.request(1), try bench.request(2), try bench.request(3))
        try await bench.insert(open, at: 0)
        try await bench.insert(over, at: 0)
        try await bench.answer(over)
        try await store.transaction { try $0.strand(requestsTo: other) }
        #expect(try await bench.record(open)?.isAstray == false)
        try await store.transaction { try $0.strand(requestsTo: sharer) }
        try await bench.insert(later, at: 1)
        #expect(try await bench.record(open)?.isAstray == true)
        #expect(try await bench.record(over)?.isAstray == true)
        #expect(try await bench.record(later)?.isAstray == false)
        // The request stays astray, whatever happens later.
        let now = bench.after(2)
        try await bench.change(open) { $0.pushAccepted(now: now) }
        #expect(try await bench.record(open)?.isAstray == true)
        let all = try await store.read { try $0.pending(for: sharer, max: 10) }
        #expect(all.map(\.isAstray) == [true, false])
        #expect(try await store.read { try $0.pending(for: sharer, max: 1) }.count == 1)
        // When the first device is removed, its requests are marked as removed; a later stranding does not change that.
        try await store.transaction { try $0.disown(strandedRequestsTo: sharer) }
        try await store.transaction { try $0.strand(requestsTo: sharer) }
        #expect(try await bench.record(open)?.device == .removed)
        #expect(try await bench.record(over)?.device == .removed)
        #expect(try await bench.record(later)?.device == .astray)
    }

    static func followingsGoAstray(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let (sharer, other, now) = (bench.sharer.publicIdentity, bench.requester.publicIdentity, bench.now)
        let (first, second) = (try bench.followRequest(2), try bench.followRequest(3))
        func devices() async throws -> [ToldDevice?] {
            try await store.read { store in
                try [first, second].map { try store.following($0.value.id)?.device }
            }
        }
        func put(_ request: Signed<Request>) async throws {
            let following = FollowingRecord(request: request, end: nil, keptUntil: bench.after(4000))
            try await store.transaction { try $0.put(following) }
        }
        try await put(first)
        try await store.transaction { try $0.strand(requestsTo: other) }
        try await store.transaction { try $0.disown(strandedRequestsTo: sharer) }
        #expect(try await devices() == [.answering, nil])
        try await store.transaction { try $0.strand(requestsTo: sharer) }
        try await put(second)
        #expect(try await devices() == [.astray, .answering])
        #expect(try await store.read { try $0.followingCount(of: sharer, now: now) } == 2)
        try await store.transaction { try $0.disown(strandedRequestsTo: other) }
        #expect(try await devices() == [.astray, .answering])
        try await store.transaction { try $0.disown(strandedRequestsTo: sharer) }
        #expect(try await devices() == [.removed, .answering])
        #expect(try await store.read { try $0.followingCount(of: sharer, now: now) } == 1)
    }
}
