internal import Sharing
internal import SharingEngine
internal import SharingServer
internal import Testing
internal import Vocabulary

/// The rules about requests of a person who chooses another device.
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
        // It stays so, whatever becomes of it.
        let now = bench.after(2)
        try await bench.change(open) { $0.pushAccepted(now: now) }
        #expect(try await bench.record(open)?.isAstray == true)
        let all = try await store.read { try $0.pending(for: sharer, max: 10) }
        #expect(all.map(\.isAstray) == [true, false])
        #expect(try await store.read { try $0.pending(for: sharer, max: 1) }.count == 1)
    }
}
