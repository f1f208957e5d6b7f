import Foundation
import Testing
import WhereaboutsSharing

#if canImport(Friends)
@testable import Friends
#else
@testable import FindFriends
#endif

/// Alice and Bob with a phone each, and no server.
@MainActor @Suite struct FriendsModelTests {
    private let alice: FriendsModel
    private let bob: FriendsModel
    private let directory: Directory

    /// A directory that is removed with its test.
    private final class Directory {
        let url = FileManager.default.temporaryDirectory.appending(path: "friends-\(UUID().uuidString)")

        init() throws {
            try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: false)
        }

        deinit { try? FileManager.default.removeItem(at: self.url) }
    }

    private struct NoServer: ServerTransport {
        func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
            ServerReply(status: 403)
        }

        func stream(
            _ request: ServerRequest,
            to handle: nonisolated(nonsending) ([UInt8]) async throws -> Void
        ) async throws -> Int { 403 }
    }

    init() throws {
        let directory = try Directory()
        func model(_ name: String) throws -> FriendsModel {
            let path = directory.url.appending(path: name).path(percentEncoded: false)
            let friends = Friends(path: path, transport: NoServer(), keys: nil)
            let sharer = try friends.sharer(settings: ServerSettings(server: "https://sharing.example"))
            return FriendsModel(sharer: sharer, requester: try friends.requester())
        }
        (self.alice, self.bob, self.directory) = (try model("alice"), try model("bob"), directory)
    }

    /// Alice allows Bob to ask for a day.
    private func approve() throws {
        let link = try #require(self.bob.invite(as: "Bob"))
        let invitation = try #require(self.alice.read(invitation: link))
        #expect(invitation.requester.safetyNumber == self.bob.safetyNumber)
        let grant = self.alice.approve(invitation, for: .seconds(86_400), precision: .full)
        self.bob.keep(grant: try #require(grant), from: "Alice")
    }

    /// Goal: people read their own clock, with the name of its zone.
    @Test func aDailySummaryBeginsAtALocalTime() {
        let zone = TimeZone.current.abbreviation(for: Date(timeIntervalSince1970: 1_800_000_000)) ?? ""
        let text = Notice.local(WallTime(milliseconds: 1_800_000_000_000))
        #expect(text.wholeMatch(of: /2027-01-1[45] [0-9]{2}:[0-9]{2} .+/) != nil && text.hasSuffix(zone), "\(text)")
    }

    @Test func invitationBecomesAFriendAndAGrant() throws {
        try self.approve()
        #expect(self.bob.friends.map(\.name) == ["Alice"])
        #expect(self.bob.friends.map(\.followMinutesMax) == [60])
        #expect(self.alice.permissions.map(\.name) == ["Bob"])
        #expect(self.alice.permissions.map(\.isRevoked) == [false])
        #expect(self.alice.problem == nil && self.bob.problem == nil)
    }

    @Test func revokedGrantIsRevokedAlsoWithoutAServer() async throws {
        try self.approve()
        await self.alice.revoke(try #require(self.alice.permissions.first))
        #expect(self.alice.permissions.map(\.isRevoked) == [true])
        #expect(self.alice.problem != nil)
    }

    @Test func requestThatTheServerRefusesEndsInWords() async throws {
        try self.approve()
        let friend = try #require(self.bob.friends.first)
        await self.bob.ask(friend)
        let asked = try #require(self.bob.asked.first)
        #expect(asked.id == friend.id && asked.fix == nil && !asked.words.isEmpty)
    }

    @Test(arguments: ["", "hello", "whereabouts:invite-v1.AAAA"])
    func textThatIsNoInvitationIsAProblem(_ text: String) {
        #expect(self.alice.read(invitation: text) == nil)
        #expect(self.alice.problem != nil)
    }

    @Test func followingEndsWithItsPerson() throws {
        try self.approve()
        self.bob.follow(try #require(self.bob.friends.first), minutes: 10)
        #expect(self.bob.followed?.name == "Alice")
        self.bob.stopFollowing()
        #expect(self.bob.followed == nil && self.bob.track.isEmpty)
    }
}
