internal import Foundation
internal import Synchronization
internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharing

/// Tests for a profile's files while a link is created, refused or interrupted.
struct LinkFilesTests {
    private static let hour = Duration.seconds(3600)

    private let directory: TemporaryDirectory
    private let profile: SharingProfile

    init() throws {
        self.directory = try TemporaryDirectory()
        self.profile = try self.directory.profile("sharer")
    }

    /// A server that answers every request with one status, and records what the profile contains meanwhile.
    private final class Server: ServerTransport {
        private let profile: SharingProfile
        private let reply: ServerReply
        private let seen = Mutex<[(path: String, files: [String: Data])]>([])

        init(_ profile: SharingProfile, status: Int) {
            self.profile = profile
            self.reply = ServerReply(status: status)
        }

        var requests: [(path: String, files: [String: Data])] { self.seen.withLock { $0 } }

        func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
            let path = String(request.url.trimmingPrefix(self.profile.settings.server))
            let files = LinkFilesTests.files(of: self.profile)
            self.seen.withLock { $0.append((path, files)) }
            return self.reply
        }

        func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int { 404 }
    }

    /// The contents of the profile, without its empty lock files.
    private static func files(of profile: SharingProfile) -> [String: Data] {
        let names = FileManager.default.enumerator(atPath: profile.path)?.compactMap { $0 as? String } ?? []
        let contents = names.compactMap { name in
            FileManager.default.contents(atPath: "\(profile.path)/\(name)").map { (name, $0) }
        }
        return Dictionary(uniqueKeysWithValues: contents).filter { !$0.value.isEmpty }
    }

    private func link(_ name: String? = "weekend", by server: Server) async throws -> SharedLink {
        try await Sharer(profile: self.profile, transport: server)
            .link(called: name, by: "Alice", precision: .full, for: Self.hour)
    }

    /// Goal: Ctrl-C while the server is unreachable leaves no grant behind.
    @Test func nothingIsStoredBeforeTheServerHasTheLink() async throws {
        let before = Self.files(of: self.profile)
        let server = Server(self.profile, status: 204)
        let link = try await self.link(by: server)
        #expect(server.requests.map(\.path) == ["/v1/links"])
        #expect(server.requests.first?.files == before)
        #expect(try self.profile.grants() == [link.grant])
        #expect(self.profile.title(of: link.grant.value.requester) == "link weekend")
        #expect(self.profile.linkFiles.valid(now: .now).map(\.value.grant) == [link.grant.value.id])
    }

    @Test func aRefusedLinkLeavesNothing() async throws {
        let before = Self.files(of: self.profile)
        await #expect(throws: SharingError(.refused, "")) {
            try await self.link(by: Server(self.profile, status: 429))
        }
        #expect(Self.files(of: self.profile) == before)
        let link = try await self.link(by: Server(self.profile, status: 204))
        #expect(link.name == "weekend")
    }

    @Test func aTakenNameIsRefusedBeforeTheServerHasTheLink() async throws {
        let server = Server(self.profile, status: 204)
        for name in ["weekend", nil, nil] { _ = try await self.link(name, by: server) }
        let names = try self.profile.grants().compactMap { self.profile.name(of: $0.value.requester) }.sorted()
        #expect(names == ["1", "2", "weekend"])
        let before = Self.files(of: self.profile)
        for name in ["Weekend", "2", "\u{202E}"] {
            await #expect(throws: SharingError(.badText, "")) { try await self.link(name, by: server) }
        }
        #expect(server.requests.count == 3)
        #expect(Self.files(of: self.profile) == before)
    }

    /// Goal: the server has no link that the profile does not list.
    @Test func aLinkThatCannotBeStoredIsRevoked() async throws {
        try Data("in the way".utf8).write(to: URL(filePath: self.profile.path + "/links"))
        let before = Self.files(of: self.profile)
        let server = Server(self.profile, status: 204)
        await #expect(throws: SharingError(.badProfile, "")) { try await self.link(by: server) }
        #expect(server.requests.map(\.path) == ["/v1/links", "/v1/revocations"])
        #expect(Self.files(of: self.profile) == before)
        #expect(try self.profile.grants().isEmpty)
    }
}
