internal import SystemSimulator
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the server's decisions about links.
struct LinkTests {
    private let server = Server(policy: SharingPolicy())
    private let lifetime = Int((SharingPolicy.linkLifetimeMax + SharingPolicy().clockSkewMax).components.seconds)

    private func link(
        _ number: UInt8 = 1,
        at address: UInt8? = nil,
        by sharer: UInt8 = 3,
        until end: WallTime = after(3600)
    ) throws -> LinkedGrant {
        LinkedGrant(
            address: LinkAddress(high: 0, low: UInt64(address ?? number)),
            sharer: try identity(sharer),
            grant: GrantID(high: 1, low: UInt64(number)),
            notAfter: end,
            sealed: Array(repeating: number, count: LinkedGrant.sealedByteCount)
        )
    }

    private func post(
        _ link: LinkedGrant,
        _ store: inout ModelRequestStore,
        at now: WallTime = noon
    ) throws
        -> Server
        .OnLink
    {
        let (action, changed) = try store.transaction {
            try self.server.linkPosted(Verified(Signed(value: link, signature: [])), $0, now: now)
        }
        if let changed { store = changed }
        return action
    }

    private func revoke(_ link: LinkedGrant, by sharer: UInt8 = 3, _ store: inout ModelRequestStore) throws {
        let revocation = Revocation(grant: link.grant, sharer: try identity(sharer), notAfter: link.notAfter)
        let (action, changed) = try store.transaction {
            try self.server.grantRevoked(Verified(Signed(value: revocation, signature: [])), $0, now: noon)
        }
        #expect(action == .confirm)
        if let changed { store = changed }
    }

    private func found(_ link: LinkedGrant, _ store: ModelRequestStore, at now: WallTime = noon) throws -> LinkedGrant?
    {
        try self.server.link(link.address, store.view, now: now)?.link
    }

    @Test func aLinkIsShownUntilItsGrantEnds() throws {
        var store = ModelRequestStore()
        let link = try self.link()
        #expect(try self.found(link, store) == nil)
        #expect(try self.post(link, &store) == .confirm)
        #expect(try self.post(link, &store) == .confirm)
        #expect(try self.found(link, store, at: after(3599)) == link)
        #expect(try self.found(link, store, at: after(3600)) == nil)
    }

    @Test func aLinkThatEndedOrLastsTooLongIsRefused() throws {
        var store = ModelRequestStore()
        #expect(try self.post(self.link(1, until: noon), &store) == .refuseEnd)
        #expect(try self.post(self.link(2, until: after(self.lifetime + 1)), &store) == .refuseEnd)
        #expect(try self.post(self.link(3, until: after(self.lifetime)), &store) == .confirm)
    }

    /// Goal: a signed message from before the revocation does not restore a link.
    @Test func aRevocationRemovesTheLinkForGood() throws {
        var store = ModelRequestStore()
        let (link, other) = (try self.link(1), try self.link(2))
        #expect(try self.post(link, &store) == .confirm)
        #expect(try self.post(other, &store) == .confirm)
        // Another person's revocation of a grant with this ID concerns another grant.
        try self.revoke(link, by: 4, &store)
        #expect(try self.found(link, store) == link)
        try self.revoke(link, &store)
        #expect(try self.found(link, store) == nil)
        #expect(try self.post(link, &store) == .revoked)
        #expect(try self.found(link, store) == nil)
        #expect(try self.found(other, store) == other)
    }

    @Test func anAddressThatIsTakenStaysAsItIs() throws {
        var store = ModelRequestStore()
        let link = try self.link(1)
        #expect(try self.post(link, &store) == .confirm)
        for other in [try self.link(2, at: 1), try self.link(1, by: 4)] {
            #expect(try self.post(other, &store) == .taken)
        }
        #expect(try self.found(link, store) == link)
    }

    /// Goal: the page can show the remaining uses.
    ///
    /// An answer counts once, and another sharer's grant with this ID does not count.
    @Test func answersCountOnTheirLink() throws {
        var store = ModelRequestStore()
        let request = try makeRequest()
        let grant = request.value.grant.value
        let links = [grant.sharer, try identity(9)].enumerated().map { number, sharer in
            LinkedGrant(
                address: LinkAddress(high: 0, low: UInt64(number)),
                sharer: sharer,
                grant: grant.id,
                notAfter: grant.notAfter,
                sealed: Array(repeating: 1, count: LinkedGrant.sealedByteCount)
            )
        }
        for link in links { #expect(try self.post(link, &store) == .confirm) }
        let answer = SealedAnswer(request: request.value.id, sharer: grant.sharer, sealed: [7])
        for uses in [0, 1, 1] {
            #expect(try links.map { try self.server.link($0.address, store.view, now: noon)?.uses } == [uses, 0])
            let (_, changed) = try store.transaction {
                _ = try self.server.deviceRegistered(makeRegistration(issued: noon), $0, now: noon)
                _ = try self.server.requestReceived(request, $0, now: noon)
                return try self.server.answerReceived(
                    Verified(Signed(value: answer, signature: [])),
                    bytes: [7],
                    $0,
                    now: noon
                )
            }
            if let changed { store = changed }
        }
        try self.revoke(links[0], &store)
        #expect(try self.server.link(links[0].address, store.view, now: noon) == nil)
    }

    @Test func aSharerHasThirtyTwoLinks() throws {
        var store = ModelRequestStore()
        for number in 1...UInt8(SharingPolicy.linksPerSharerMax) {
            #expect(try self.post(self.link(number), &store) == .confirm)
        }
        let last = UInt8(SharingPolicy.linksPerSharerMax + 1)
        #expect(try self.post(self.link(last), &store) == .refuse)
        #expect(try self.post(self.link(last, at: 99, by: 4), &store) == .confirm)
        try self.revoke(self.link(1), &store)
        #expect(try self.post(self.link(last), &store) == .confirm)
    }
}
