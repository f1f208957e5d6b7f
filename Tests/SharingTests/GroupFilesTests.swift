internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for groups as bytes, as files, and as invitations.
struct GroupFilesTests {
    private let directory: TemporaryDirectory
    private let pair: Pair

    init() throws {
        self.directory = try TemporaryDirectory()
        self.pair = try Pair()
    }

    private func found(_ name: String = "family", by profile: SharingProfile) throws -> SharingGroup {
        try profile.groups.found(name, precision: .reduced, for: .seconds(3600))
    }

    /// Goal: the largest roster fits into an entry on the server.
    @Test func twelveLongNamesFitIntoAnEntry() throws {
        let name = String(repeating: "é", count: SharingGroup.nameBytesMax / 2)
        let people =
            try [self.pair.sharer] + (1..<SharingGroup.membersMax).map { _ in try Identity(seed: Identity().seed) }
        let roster = GroupRoster(
            group: GroupID(high: 1, low: 2),
            founder: self.pair.sharer.publicIdentity,
            number: .max,
            seed: Array(repeating: 1, count: GroupOffer.secretByteCount),
            members: people.map { GroupRoster.Member(person: $0.publicIdentity, name: name) }
        )
        let signed = try self.pair.sharer.sign(roster)
        let secret = try LinkSecret(seed: Array(repeating: 2, count: LinkSecret.seedByteCount))
        let sealed = try secret.seal([signed.bytes])
        #expect(sealed.count == LinkedGrant.sealedByteCount)
        #expect(try Signed<GroupRoster>(bytes: secret.open(sealed, parts: 1)[0]).verified().value == roster)
        // Each kind of malformed message, with the founder's valid signature.
        let member = GroupRoster.Member(person: self.pair.requester.publicIdentity, name: "Bob")
        for members in [[], [member], roster.members + [member], [roster.members[0], member, member]] {
            let wrong = GroupRoster(
                group: roster.group,
                founder: roster.founder,
                number: 1,
                seed: roster.seed,
                members: members
            )
            let bytes = try self.pair.sharer.sign(wrong).bytes
            #expect(throws: SharingError(.badBytes, "")) { try Signed<GroupRoster>(bytes: bytes) }
        }
        let forged = try self.pair.requester.sign(roster)
        #expect(throws: SharingError(.badSignature, "")) { try forged.verified() }
        var bytes = try self.pair.sharer.sign(roster).bytes
        let place = try #require(bytes.firstIndex(of: 0xC3))
        bytes.replaceSubrange(place...(place + 1), with: [0x1B, 0x5B])
        #expect(throws: SharingError(.badBytes, "")) { try Signed<GroupRoster>(bytes: bytes) }
    }

    @Test func aGroupIsKeptAsItIs() throws {
        let (alice, bob) = (try self.directory.profile("alice"), try self.directory.profile("bob"))
        let group = try self.found(by: alice)
        let taken = #expect(throws: SharingError.self) { try self.found(" Family ", by: alice) }
        #expect(taken?.code == .badText && taken?.message.contains("called family; 'Family' differs only in") == true)
        #expect(throws: SharingError(.badText, "")) { try self.found(" ", by: alice) }
        #expect(throws: SharingError(.badText, "")) { try self.found(String(repeating: "n", count: 33), by: alice) }
        #expect(throws: SharingError(.badText, "")) {
            try alice.groups.found("x", precision: .full, for: .zero)
        }
        let invitation = try alice.invitation(name: "Alice", group: group.offer)
        #expect(try Signed<Invitation>(text: invitation.text) == invitation)
        let reply = try bob.join(group.offer, as: "Bob")
        #expect(try bob.groups.all().map(\.state) == [.waiting])
        // The same reply twice: the founder may have confirmed the first one.
        #expect(try bob.join(group.offer, as: "Bob").value.group == reply.value.group)
        try alice.confirm(Signed<Invitation>(text: reply.text).value, as: "Bobby")
        try alice.groups.change(group.offer.id) { group in
            group.granted(to: bob.identity.publicIdentity) { GrantID(high: 1, low: 1) }
            group.grantPosted(to: bob.identity.publicIdentity, until: .now)
        }
        let kept = try #require(try alice.groups.group(group.offer.id))
        #expect(kept.peers.map(\.member.name) == ["Bobby"] && kept.peers.first?.grantPostedUntil != nil)
        #expect(kept.peers.first?.rosterPostedUntil == nil)
        #expect(try SharingGroup(bytes: kept.bytes, of: alice.identity.publicIdentity) == kept)
        let state = SharingGroup.State.member(number: 2, seed: Array(repeating: 1, count: GroupOffer.secretByteCount))
        let own = bob.identity.publicIdentity
        let other = SharingGroup(kept.offer, of: own, state: state, peers: kept.peers, former: kept.peers)
        #expect(try SharingGroup(bytes: other.bytes, of: own) == other)
        // A backup has it.
        let backup = try alice.backup(passphrase: "correct horse battery staple", cost: 10)
        let restored = try SharingProfile.restore(
            backup,
            passphrase: "correct horse battery staple",
            path: self.directory.path + "/restored"
        )
        #expect(try restored.groups.all() == [kept])
        try Data([1]).write(to: URL(filePath: "\(alice.path)/groups/\(group.offer.id)"))
        #expect(throws: SharingError(.badProfile, "")) { try alice.groups.all() }
    }

    @Test func aReplyOfAnotherGroupConfirmsNobody() throws {
        let (alice, bob) = (try self.directory.profile("alice"), try self.directory.profile("bob"))
        let group = try self.found(by: alice)
        let reply = try bob.join(group.offer, as: "Bob")
        // Bob is not the founder, and neither is a person without the group.
        #expect(throws: SharingError(.notForUs, "")) { try bob.confirm(reply.value, as: "Bob") }
        #expect(throws: SharingError(.notForUs, "")) { try self.directory.profile("eve").confirm(reply.value, as: "B") }
        #expect(throws: SharingError(.notForUs, "")) {
            try alice.confirm(alice.invitation(name: "Alice", group: group.offer).value, as: "Alice")
        }
        // Another group of the same name.
        let other = try self.found(by: try self.directory.profile("carol"))
        #expect(throws: SharingError(.badText, "")) { try bob.join(other.offer, as: "Bob") }
    }

    @Test func anInvitationOfAGroupIsTheFoundersOwn() throws {
        let (alice, bob) = (try self.directory.profile("alice"), try self.directory.profile("bob"))
        let offer = try self.found(by: alice).offer
        // Bob invites to a group that Alice founded.
        let forged = try bob.invitation(name: "Bob", group: offer)
        #expect(throws: SharingError(.badBytes, "")) { try Signed<Invitation>(text: forged.text) }
        let ended = GroupOffer(id: offer.id, founder: offer.founder, name: "a", precision: .full, notAfter: .now)
        let late = try alice.invitation(name: "Alice", group: ended).value
        #expect(throws: SharingError(.badText, "")) { try late.check(now: .now.advanced(by: .seconds(1))) }
    }

    @Test func aNameThatIsTakenGetsANumber() throws {
        let profile = try self.directory.profile("alice")
        try profile.call(self.pair.sharer.publicIdentity, "Bob")
        try profile.names.call(GroupRoster.Member(person: self.pair.requester.publicIdentity, name: "BOB"))
        #expect(profile.name(of: self.pair.requester.publicIdentity) == "BOB 2")
        try profile.names.call(GroupRoster.Member(person: self.pair.requester.publicIdentity, name: "Bobby"))
        #expect(profile.name(of: self.pair.requester.publicIdentity) == "BOB 2")
    }
}
