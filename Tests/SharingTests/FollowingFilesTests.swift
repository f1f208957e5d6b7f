internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Followings as files between an extension, an app and the person's command line.
struct FollowingFilesTests {
    private let directory: TemporaryDirectory
    private let home: SharingHome

    init() throws {
        self.directory = try TemporaryDirectory()
        self.home = try self.directory.home("sharer")
    }

    private func request() throws -> Signed<Request> {
        try Pair().followRequest(publicKey: Array(repeating: 9, count: 32), at: .now)
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(self.home.path)/followings")) ?? []
    }

    @Test func whoFollowsIsSeenByEveryProcessUntilTheEnd() throws {
        #expect(self.home.followers().isEmpty)
        let request = try self.request()
        try self.home.begin(request)
        let app = try SharingHome(path: self.home.path)
        let follower = try #require(app.followers().first)
        #expect(follower.requester == request.value.grant.value.requester && follower.request == request.value.id)
        #expect(follower.until == request.value.issued.advanced(by: .seconds(45 * 60)))
        #expect(app.followings(now: follower.until).isEmpty)

        let end = try app.end(request.value, .bySharer, now: .now)
        #expect(self.home.followers().isEmpty)
        // The first end holds, and is said until the server knows.
        #expect(try self.home.end(request.value, .paused, now: .now) == end)
        #expect(self.home.unsaidEnds == [end])
        // The extension does not bring it back.
        try self.home.begin(request)
        #expect(self.home.followers().isEmpty)
        self.home.forget(request.value.id)
        #expect(self.files.isEmpty)
    }

    @Test func runsOfTheAppCountUpAndOutliveIt() throws {
        let request = try self.request()
        try self.home.begin(request)
        #expect(try self.home.nextRun(of: request.value.id) == 1)
        #expect(try SharingHome(path: self.home.path).nextRun(of: request.value.id) == 2)
        try Data([1]).write(to: URL(filePath: "\(self.home.path)/followings/\(request.value.id).run"))
        #expect(throws: SharingError.self) { try self.home.nextRun(of: request.value.id) }
    }

    @Test func whatIsLongOverIsDeleted() throws {
        let request = try self.request()
        try self.home.begin(request)
        _ = try self.home.nextRun(of: request.value.id)
        let end = try #require(request.value.followingEnd)
        #expect(self.home.followings(now: end.advanced(by: .seconds(3599))).isEmpty)
        #expect(self.files.count == 2)
        #expect(self.home.followings(now: end.advanced(by: FollowingRecord.endKept)).isEmpty)
        #expect(self.files.isEmpty)
    }

    @Test func onlyAnExtensionWhoseAppTakesOverLetsSomebodyBegin() throws {
        let request = try self.request().value
        #expect(self.home.followingRefusal(of: request, now: .now) == .cannotBeFollowed)
        var device = self.home
        device.handsOver = true
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
            try device.begin(pair.requester.sign(other))
        }
        #expect(device.followingRefusal(of: request, now: .now) == .tooManyFollowers)
    }
}
