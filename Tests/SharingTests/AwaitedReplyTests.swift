internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for invitations that wait for a reply.
struct AwaitedReplyTests {
    /// Goal: an invitation that can no longer be answered leaves no file.
    @Test func anInvitationIsDeletedAfterItsTime() throws {
        let directory = try TemporaryDirectory()
        let (profile, sharer) = (try directory.profile("a"), try Pair().sharer.publicIdentity)
        let invitation = try profile.invitation(name: "Alice", awaitingReplyFrom: sharer)
        func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: profile.path + "/awaited")
        }
        let end = invitation.value.expires.advanced(by: SharingPolicy.linkLifetimeMax)
        #expect(profile.awaitedReplies.all(now: end.advanced(by: .seconds(-1))).map(\.sharer) == [sharer])
        #expect(try files().count == 1)
        #expect(profile.awaitedReplies.all(now: end).isEmpty)
        #expect(try files().isEmpty)
    }
}
