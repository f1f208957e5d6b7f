internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for the files of live shares, which an extension, an app and the person's command line use.
struct FollowingFilesTests {
    private let directory: TemporaryDirectory
    private let profile: SharingProfile

    init() throws {
        self.directory = try TemporaryDirectory()
        self.profile = try self.directory.profile("sharer")
    }

    private func request() throws -> Signed<Request> {
        try Pair().followRequest(publicKey: Array(repeating: 9, count: 32), at: .now)
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(self.profile.path)/followings")) ?? []
    }

    @Test func whoFollowsIsSeenByEveryProcessUntilTheEnd() throws {
        #expect(self.profile.followers().isEmpty)
        let request = try self.request()
        try self.profile.followings.begin(request)
        let app = try SharingProfile(path: self.profile.path)
        let follower = try #require(app.followers().first)
        #expect(follower.requester == request.value.grant.value.requester && follower.request == request.value.id)
        #expect(follower.until == request.value.issued.advanced(by: .seconds(45 * 60)))
        #expect(app.followings.followings(now: follower.until).isEmpty)

        let end = try app.followings.end(request.value, .bySharer, now: .now)
        #expect(self.profile.followers().isEmpty)
        // The first end is valid, and is reported until the server confirms it.
        #expect(try self.profile.followings.end(request.value, .paused, now: .now) == end)
        #expect(self.profile.followings.unsaidEnds.map(\.end) == [end])
        // The extension does not restore it.
        try self.profile.followings.begin(request)
        #expect(self.profile.followers().isEmpty)
        self.profile.followings.forget(request.value)
        #expect(self.files.isEmpty)
    }

    @Test func runsOfTheAppCountUpAndOutliveIt() throws {
        let request = try self.request()
        try self.profile.followings.begin(request)
        #expect(try self.profile.followings.nextRun(of: request.value) == 1)
        #expect(try SharingProfile(path: self.profile.path).followings.nextRun(of: request.value) == 2)
        let file = try #require(self.files.first { $0.hasSuffix(".run") })
        try Data([1]).write(to: URL(filePath: "\(self.profile.path)/followings/\(file)"))
        #expect(throws: SharingError.self) { try self.profile.followings.nextRun(of: request.value) }
    }

    /// Goal: a requester who uses the ID of a live share again neither continues nor ends that one.
    @Test func theSameIDWithOtherBytesIsAnotherLiveShare() throws {
        let first = try self.request()
        let second = try Pair().followRequest(publicKey: Array(repeating: 10, count: 32), at: first.value.issued)
        #expect(first.value.id == second.value.id)
        for request in [first, second] { try self.profile.followings.begin(request) }
        #expect(Set(self.profile.followings.followings(now: .now)) == [first, second])
        #expect(try self.profile.followings.nextRun(of: first.value) == 1)
        #expect(try self.profile.followings.nextRun(of: second.value) == 1)
        _ = try self.profile.followings.end(first.value, .bySharer, now: .now)
        #expect(self.profile.followings.hasEnded(first.value) && !self.profile.followings.hasEnded(second.value))
        #expect(self.profile.followings.followings(now: .now) == [second])
        self.profile.followings.endSaid(of: first.value)
        #expect(self.profile.followings.unsaidEnds.isEmpty && self.profile.followings.followings(now: .now) == [second])
    }

    @Test func whatIsLongOverIsDeleted() throws {
        let request = try self.request()
        try self.profile.followings.begin(request)
        _ = try self.profile.followings.nextRun(of: request.value)
        let end = try #require(request.value.followingEnd)
        #expect(self.profile.followings.followings(now: end.advanced(by: .seconds(3599))).isEmpty)
        #expect(self.files.count == 2)
        #expect(self.profile.followings.followings(now: end.advanced(by: FollowingRecord.endKept)).isEmpty)
        #expect(self.files.isEmpty)
    }

    @Test func onlyAnExtensionWhoseAppTakesOverLetsSomebodyBegin() throws {
        let request = try self.request().value
        #expect(self.profile.records().followingRefusal(of: request, now: .now) == .cannotBeFollowed)
        let device = self.profile.records(handsOver: true)
        #expect(device.followingRefusal(of: request, now: .now) == nil)
        let pair = try Pair()
        for number in 0..<UInt8(Following.followersMax) {
            let other = Request(
                id: try #require(RequestID(bytes: Array(repeating: number, count: 16))),
                grant: request.grant,
                precision: .full,
                suite: .x25519,
                publicKey: request.publicKey,
                issued: request.issued,
                expires: request.expires,
                followMinutes: 45
            )
            try self.profile.followings.begin(pair.requester.sign(other))
        }
        #expect(device.followingRefusal(of: request, now: .now) == .tooManyFollowers)
    }
}
