internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for the decisions of a group's member and of its founder.
struct GroupTests {
    private static let seed = [UInt8](repeating: 9, count: GroupOffer.secretByteCount)

    private func offer(mailbox: UInt8? = nil) throws -> GroupOffer {
        try GroupOffer(
            id: GroupID(high: 1, low: 1),
            founder: identity(3),
            name: "family",
            precision: .full,
            notAfter: after(3600),
            mailbox: mailbox.map { Array(repeating: $0, count: GroupOffer.secretByteCount) } ?? []
        )
    }

    private func founded() throws -> SharingGroup {
        try SharingGroup(self.offer(), of: identity(3), state: .member(number: 1, seed: Self.seed))
    }

    private func joined(_ person: UInt8) throws -> SharingGroup {
        try SharingGroup(self.offer(mailbox: person), of: identity(person), state: .waiting)
    }

    private func member(_ person: UInt8) throws -> GroupRoster.Member {
        try GroupRoster.Member(person: identity(person), name: "\(person)")
    }

    private func confirm(_ person: UInt8, in group: inout SharingGroup) throws {
        let reply = try self.offer(mailbox: person)
        #expect(try group.replyReceived(reply, from: self.member(person), now: noon) == .confirm)
    }

    private func roster(_ group: SharingGroup) throws -> Verified<GroupRoster> {
        Verified(Signed(value: try #require(group.roster(foundedBy: "Alice")), signature: []))
    }

    private func steps(
        _ group: SharingGroup,
        received: [PublicIdentity: WallTime] = [:],
        revoked: [GrantID] = [],
        at now: WallTime = noon
    ) -> [String] {
        group.steps(received: received, isRevoked: revoked.contains, now: now).map { step in
            switch step {
            case .postRoster(let peer): "roster \(peer.member.name)"
            case .postGrant(let peer): "grant \(peer.member.name)"
            case .look(let peer): "look \(peer.member.name)"
            }
        }
    }

    @Test func aConfirmedMemberAndTheOthersGiveEachOtherGrants() throws {
        var (alice, bob) = (try self.founded(), try self.joined(4))
        #expect(self.steps(alice) == [] && self.steps(bob) == [])
        try self.confirm(4, in: &alice)
        #expect(self.steps(alice) == ["roster 4", "grant 4", "look 4"])
        #expect(try bob.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .adopt(revoke: []))
        #expect(self.steps(bob) == ["grant Alice", "look Alice"])
        let grant = GrantID(high: 2, low: 2)
        try bob.granted(to: identity(3)) { grant }
        try bob.granted(to: identity(3)) { GrantID(high: 0, low: 0) }
        #expect(bob.peers.map(\.grant) == [grant])
        // Until somebody has deleted the entry.
        bob.grantPosted(to: try identity(3), until: after(60))
        #expect(self.steps(bob, received: [try identity(3): after(3600)]) == [])
        #expect(
            self.steps(bob, received: [try identity(3): after(3599)], at: after(60)) == ["grant Alice", "look Alice"]
        )
        // A revoked grant is never replaced.
        #expect(self.steps(bob, revoked: [grant], at: after(60)) == ["look Alice"])
        bob.serverForgot()
        #expect(self.steps(bob) == ["grant Alice", "look Alice"])
        #expect(self.steps(bob, at: after(3600)) == [])
        #expect(bob.told().map(\.grant) == [grant] && bob.told() == [])
    }

    /// Goal: a person who found an invitation cannot join, and an old or foreign roster has no effect.
    @Test func onlyTheFoundersNewestRosterCounts() throws {
        var (alice, bob, carol) = (try self.founded(), try self.joined(4), try self.joined(5))
        let empty = try self.roster(alice)
        try self.confirm(4, in: &alice)
        #expect(try bob.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .adopt(revoke: []))
        // Bob's list of members is not a roster of the group, and Bob cannot confirm members.
        #expect(bob.roster(foundedBy: "Bob") == nil)
        #expect(try bob.replyReceived(self.offer(mailbox: 5), from: self.member(5), now: noon) == .notOurs)
        let before = bob
        #expect(bob.rosterReceived(empty, isRevoked: { _ in false }) == .ignore)
        #expect(try bob.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .ignore)
        let other = GroupRoster(
            group: GroupID(high: 1, low: 2),
            founder: try identity(3),
            number: 9,
            seed: Self.seed,
            members: [try self.member(3), try self.member(4), try self.member(5)]
        )
        #expect(bob.rosterReceived(Verified(Signed(value: other, signature: [])), isRevoked: { _ in false }) == .ignore)
        #expect(bob == before)
        // Carol has the invitation, but was not confirmed.
        #expect(try carol.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .ignore)
        #expect(carol.state == .waiting && self.steps(carol) == [])
    }

    @Test func aRemovedMemberIsRevokedByTheOthersAndRevokesThem() throws {
        var (alice, bob, carol) = (try self.founded(), try self.joined(4), try self.joined(5))
        try self.confirm(4, in: &alice)
        try self.confirm(5, in: &alice)
        for person: UInt8 in [4, 5] { alice.rosterPosted(3, to: try identity(person), until: after(60)) }
        #expect(self.steps(alice).filter { $0.hasPrefix("roster") } == [])
        _ = try (
            bob.rosterReceived(self.roster(alice), isRevoked: { _ in false }),
            carol.rosterReceived(self.roster(alice), isRevoked: { _ in false })
        )
        let (toAlice, toBob, toCarol) = (GrantID(high: 0, low: 3), GrantID(high: 0, low: 4), GrantID(high: 0, low: 5))
        try bob.granted(to: identity(5)) { toCarol }
        try carol.granted(to: identity(4)) { toBob }
        try carol.granted(to: identity(3)) { toAlice }
        #expect(try bob.removed(identity(5)) == nil)
        #expect(try alice.removed(identity(6)) == nil)
        #expect(try alice.removed(identity(5))?.mailbox == self.offer(mailbox: 5).mailbox)
        // The previous roster arrived late.
        alice.rosterPosted(3, to: try identity(4), until: after(60))
        #expect(self.steps(alice).first == "roster 4")
        #expect(try bob.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .adopt(revoke: [toCarol]))
        #expect(bob.peers.map(\.member.name) == ["Alice"])
        #expect(
            try carol.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .leave(revoke: [toAlice, toBob])
        )
        #expect(try carol.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .ignore)
    }

    @Test func aForgottenMembersGrantIsNotFetched() throws {
        var alice = try self.founded()
        try self.confirm(4, in: &alice)
        alice.forgot(try identity(4))
        #expect(self.steps(alice) == ["roster 4", "grant 4"])
        // Until the founder confirms them again.
        try self.confirm(4, in: &alice)
        #expect(self.steps(alice) == ["roster 4", "grant 4", "look 4"])
    }

    /// Goal: a member's new key replaces the old one, whose grants the other members revoke.
    @Test func aMembersNewKeyTakesTheOldOnesPlace() throws {
        var (alice, bob, carol) = (try self.founded(), try self.joined(4), try self.joined(5))
        for person: UInt8 in [4, 5] { try self.confirm(person, in: &alice) }
        #expect(try carol.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .adopt(revoke: []))
        let (old, new) = (GrantID(high: 0, low: 1), GrantID(high: 0, low: 2))
        try carol.granted(to: identity(4)) { old }
        // Bob checks his mailbox with the new key, and finds the previous roster.
        bob = try SharingGroup(bob.offer, of: identity(6), state: .waiting)
        #expect(try bob.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .ignore)
        alice.rosterPosted(3, to: try identity(4), until: after(60))
        alice.rosterPosted(3, to: try identity(5), until: after(60))
        try alice.replaced(identity(4), by: identity(6), grant: new)
        #expect(alice.peers.map(\.grant) == [new, nil] && alice.peers.first?.mailbox == bob.offer.mailbox)
        #expect(self.steps(alice).prefix(2) == ["roster 4", "roster 5"])
        #expect(try bob.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .adopt(revoke: []))
        #expect(try bob.peers.map(\.member.person) == [identity(3), identity(5)])
        #expect(try carol.rosterReceived(self.roster(alice), isRevoked: { _ in false }) == .adopt(revoke: [old]))
        // A person who revoked the old key's grant gives the new key none.
        try alice.replaced(identity(6), by: identity(7), grant: nil)
        #expect(self.steps(alice, revoked: [new]).contains("grant 4") == false)
    }

    @Test func aGroupHasTwelveMembers() throws {
        var alice = try self.founded()
        for person in 4..<UInt8(3 + SharingGroup.membersMax) { try self.confirm(person, in: &alice) }
        #expect(try self.roster(alice).value.members.count == SharingGroup.membersMax)
        let before = alice
        #expect(try alice.replyReceived(self.offer(mailbox: 99), from: self.member(99), now: noon) == .full)
        #expect(alice == before)
        // A member whose profile was lost replies again, and gets a new mailbox.
        #expect(try alice.replyReceived(self.offer(mailbox: 99), from: self.member(4), now: noon) == .confirm)
        #expect(try alice.peers.last?.mailbox == self.offer(mailbox: 99).mailbox)
        #expect(alice.peers.count == before.peers.count)
    }

    @Test func aReplyIsForTheFounderWhileTheGroupLasts() throws {
        var alice = try self.founded()
        let before = alice
        #expect(try alice.replyReceived(self.offer(), from: self.member(4), now: noon) == .notOurs)
        #expect(try alice.replyReceived(self.offer(mailbox: 4), from: self.member(3), now: noon) == .notOurs)
        #expect(try alice.replyReceived(self.offer(mailbox: 4), from: self.member(4), now: after(3600)) == .over)
        #expect(alice == before)
    }

    /// Goal: if a founder removes and confirms a person again, a member's revocation stays.
    @Test func aRevocationOutlastsARemoval() throws {
        var (alice, bob) = (try self.founded(), try self.joined(4))
        func tell(_ isRevoked: Bool = false) throws -> SharingGroup.OnRoster {
            try bob.rosterReceived(self.roster(alice), isRevoked: { _ in isRevoked })
        }
        for person: UInt8 in [4, 5, 6] { try self.confirm(person, in: &alice) }
        #expect(try tell() == .adopt(revoke: []))
        let (first, second) = (GrantID(high: 0, low: 1), GrantID(high: 0, low: 2))
        try bob.granted(to: identity(5)) { first }
        try bob.granted(to: identity(6)) { second }
        _ = try alice.removed(identity(6))
        #expect(try tell() == .adopt(revoke: [second]))
        _ = try alice.removed(identity(5))
        #expect(try tell(true) == .adopt(revoke: [first]))
        #expect(bob.former.map(\.grant) == [first])
        try self.confirm(5, in: &alice)
        try self.confirm(6, in: &alice)
        #expect(try tell() == .adopt(revoke: []))
        #expect(bob.former.isEmpty && bob.peers.map(\.grant) == [nil, first, nil])
        #expect(self.steps(bob, revoked: [first]).filter { $0.hasPrefix("grant") } == ["grant Alice", "grant 6"])
    }
}
