internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// The rules about links.
extension RequestStoreRule {
    static func linksAreKeptUntilTheirEnd(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let (sharer, other) = (bench.sharer.publicIdentity, bench.requester.publicIdentity)
        func link(_ number: UInt8, _ sharer: PublicIdentity, grant: UInt8) -> LinkedGrant {
            LinkedGrant(
                address: LinkAddress(high: 0, low: UInt64(number)),
                sharer: sharer,
                grant: GrantID(high: 0, low: UInt64(grant)),
                notAfter: bench.after(60 + Int(number)),
                sealed: Array(repeating: number, count: LinkedGrant.sealedByteCount)
            )
        }
        let links = [link(1, sharer, grant: 1), link(2, sharer, grant: 2), link(3, other, grant: 1)]
        func kept() async throws -> [UInt64] {
            try await store.read { view in
                try links.compactMap { link in
                    let found = try view.link(link.address)
                    #expect(found == nil || found == link)
                    return found?.address.low
                }
            }
        }
        #expect(try await kept() == [])
        try await store.transaction { store in for link in links { try store.put(link) } }
        #expect(try await kept() == [1, 2, 3])
        #expect(try await store.read { try $0.linkCount(of: sharer) } == 2)
        #expect(try await store.read { try $0.linkCount(of: other) } == 1)
        let first = links[0].grant
        try await store.transaction { try $0.dropLinks(to: links[1].grant, of: other) }
        #expect(try await kept() == [1, 2, 3])
        try await store.transaction { try $0.dropLinks(to: first, of: sharer) }
        #expect(try await kept() == [2, 3])
        try await bench.prune(at: 61)
        #expect(try await kept() == [2, 3])
        try await bench.prune(at: 62)
        #expect(try await kept() == [3])
        #expect(try await store.read { try $0.linkCount(of: sharer) } == 0)
    }
}
