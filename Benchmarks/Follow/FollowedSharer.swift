internal import Foundation
internal import Rig
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A sharer whose device gets one more follower with each request.
struct FollowedSharer {
    private let server: String
    private let sharer: Sharer
    private let audience: Audience

    init(server: String, _ workspace: Workspace, _ audience: Audience) async throws {
        self.server = server
        self.audience = audience
        self.sharer = try Sharer(
            profile: SharingProfile.openOrCreate(
                path: "\(workspace.directory)/sharer",
                settings: ServerSettings(server: server, trustRoots: workspace.authorityPath)
            )
        )
        try await self.sharer.register(deviceToken: Data(repeating: 7, count: 32), topic: "com.example.FindFriends")
    }

    /// Lets people follow, one after the other.
    func members(count: Int) async throws -> [Audience.Member] {
        var members: [Audience.Member] = []
        for _ in 0..<count { members.append(try await self.member()) }
        return members
    }

    private func member() async throws -> Audience.Member {
        let requester = try Identity()
        let grant = try self.sharer.approve(
            requester: requester.publicIdentity,
            precision: .full,
            for: .seconds(3600),
            limits: GrantLimits(followMinutesMax: 60)
        )
        var generator = SystemRandomNumberGenerator()
        let request = Request(
            under: grant,
            precision: .full,
            suite: .xWing,
            publicKey: try HPKESealing().makeKey(suite: .xWing).publicKey,
            followMinutes: 60,
            using: &generator,
            now: .now
        )
        let (id, identity) = (request.id, self.sharer.profile.identity)
        let address = "\(self.server)/v1/requests/\(id)"
        try await self.audience.post(requester.sign(request).bytes, to: "\(self.server)/v1/requests")
        let answer = SealedAnswer(request: id, sharer: identity.publicIdentity, sealed: Self.sealed(256))
        try await self.audience.post(identity.sign(answer).bytes, to: address + "/answer")
        // The server cannot open it.
        let update: @Sendable () throws -> [UInt8] = {
            let update = SealedUpdate(request: id, sharer: identity.publicIdentity, sealed: Self.sealed(128))
            return try identity.sign(update).bytes
        }
        try await self.audience.post(update(), to: address + "/updates")
        let permit = try requester.sign(ReadPermit(request: id, requester: requester.publicIdentity)).bytes
        return Audience.Member(
            address: address + "/updates",
            authorization: "Whereabouts \(Base64URL.text(of: permit))",
            update: update
        )
    }

    /// Bytes as long as a sealed text of `count` bytes: the encapsulated key, the text, the tag.
    private static func sealed(_ count: Int) -> [UInt8] {
        [UInt8](repeating: UInt8.random(in: 0...255), count: 1120 + count + 16)
    }
}
