internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// The rules about transactions that run at once.
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
}
