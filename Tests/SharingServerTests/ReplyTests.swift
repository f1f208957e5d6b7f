internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests for two people who connect in both directions with one invitation and one reply, over real TLS.
struct ReplyTests {
    /// Goal: a person who read the line in transit can make the reply fail, but can do nothing else.
    @Test func aForeignReplyIsIgnored() async throws {
        let town = try Town()
        try await town.withServer { port in
            let people = try ["alice", "bob", "eve"].map { try Sharer(profile: town.profile($0, port: port)) }
            let (alice, bob, eve) = (people[0], people[1], people[2])
            let (own, sharer) = (alice.profile.identity.publicIdentity, bob.profile.identity.publicIdentity)
            let invitation = try alice.profile.invitation(name: "Alice", awaitingReplyFrom: sharer)
            let secret = try LinkSecret(replyTo: invitation, from: sharer)
            let foreign = try eve.approve(requester: own, precision: .full, for: .seconds(60))
            let entry = LinkedGrant(
                address: secret.address,
                sharer: eve.profile.identity.publicIdentity,
                grant: foreign.value.id,
                notAfter: foreign.value.notAfter,
                sealed: try secret.seal(foreign, sharer: "", name: "")
            )
            let posted = try await town.send(port: port, "/v1/links", eve.profile.identity.sign(entry).bytes)
            #expect((200..<300).contains(posted.status))
            try await alice.groups.tend()
            #expect(try alice.profile.received().isEmpty && alice.profile.awaitsReplies)
            // Bob sends the grant as text.
            let grant = try bob.approve(requester: own, precision: .full, for: .seconds(60))
            await #expect(throws: SharingError.self) { try await bob.groups.leave(grant, inReplyTo: invitation) }
        }
    }

    /// Goal: the second grant needs no third line.
    @Test func aReplyReachesTheAuthorOfTheInvitation() async throws {
        let town = try Town()
        try await town.withServer { port in
            let (alice, bob) = (
                try Sharer(profile: town.profile("alice", port: port)),
                try Sharer(profile: town.profile("bob", port: port))
            )
            let person = bob.profile.identity.publicIdentity
            let invitation = try alice.profile.invitation(name: "Alice", awaitingReplyFrom: person)
            // Alice accepted Bob's link twice, and he has both replies.
            #expect(try alice.profile.invitation(name: "Alice", awaitingReplyFrom: person) == invitation)
            try await alice.groups.tend()
            #expect(try alice.profile.received().isEmpty && alice.profile.awaitsReplies)
            let grant = try bob.approve(
                requester: alice.profile.identity.publicIdentity,
                precision: .full,
                for: .seconds(60)
            )
            try await bob.groups.leave(grant, inReplyTo: invitation)
            // Bob accepts the same line again.
            try await bob.groups.leave(grant, inReplyTo: invitation)
            try await alice.groups.tend()
            #expect(try alice.profile.received() == [grant] && !alice.profile.awaitsReplies)
            // The server deletes a revoked grant, and has nothing for an unknown invitation.
            try await bob.revoke(grant)
            await #expect(throws: SharingError.self) { try await bob.groups.leave(grant, inReplyTo: invitation) }
        }
    }
}
