internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Two people who join in both directions by one invitation and one reply, over real TLS.
struct ReplyTests {
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
            // Alice accepted Bob's link twice, and he has either line.
            #expect(try alice.profile.invitation(name: "Alice", awaitingReplyFrom: person) == invitation)
            try await alice.tendGroups()
            #expect(try alice.profile.received().isEmpty && alice.profile.awaitsReplies)
            let grant = try bob.approve(
                requester: alice.profile.identity.publicIdentity,
                precision: .full,
                for: .seconds(60)
            )
            try await bob.leave(grant, inReplyTo: invitation)
            try await alice.tendGroups()
            #expect(try alice.profile.received() == [grant] && !alice.profile.awaitsReplies)
            // The server deletes a revoked grant, and has nothing for an invitation that it never saw.
            try await bob.revoke(grant)
            await #expect(throws: SharingError.self) { try await bob.leave(grant, inReplyTo: invitation) }
        }
    }
}
