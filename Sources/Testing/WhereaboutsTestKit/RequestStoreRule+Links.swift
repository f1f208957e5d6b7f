internal import Testing
internal import WhereaboutsSharing
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

    /// Each committed use counts for the link of its grant only, even if many transactions run at once.
    static func usesOfLinksAreCounted(_ store: any Store) async throws {
        let bench = try RequestStoreBench(store)
        let grants = try [bench.grant(1).value, bench.grant(2).value]
        func link(_ index: Int) -> LinkedGrant {
            LinkedGrant(
                address: LinkAddress(high: 0, low: UInt64(index)),
                sharer: bench.sharer.publicIdentity,
                grant: grants[index].id,
                notAfter: bench.after(60),
                sealed: Array(repeating: 1, count: LinkedGrant.sealedByteCount)
            )
        }
        let links = [link(0), link(1)]
        func counts() async throws -> [Int] {
            try await store.read { view in try links.map { try view.useCount(of: $0.address) } }
        }
        // A use before the link was stored does not count.
        try await store.transaction { try $0.countUse(of: grants[0]) }
        try await store.transaction { store in for link in links { try store.put(link) } }
        #expect(try await counts() == [0, 0])
        try await store.transaction { store in
            try store.countUse(of: grants[0])
            #expect(try store.useCount(of: links[0].address) == 1)
            try store.countUse(of: grants[0])
        }
        #expect(try await counts() == [2, 0])
        await #expect(throws: Failure.self) {
            try await store.transaction { store in
                try store.countUse(of: grants[0])
                throw Failure()
            }
        }
        #expect(try await counts() == [2, 0])
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await store.transaction { try $0.countUse(of: grants[1]) } } }
            try await group.waitForAll()
        }
        #expect(try await counts() == [2, 20])
        try await bench.prune(at: 59)
        #expect(try await counts() == [2, 20])
        // A link that is stored again begins again.
        let (sharer, first) = (bench.sharer.publicIdentity, links[0])
        try await store.transaction { try $0.dropLinks(to: first.grant, of: sharer) }
        try await store.transaction { try $0.put(first) }
        #expect(try await counts() == [0, 20])
    }
}

/// Why a transaction fails on purpose.
private struct Failure: Error {}
