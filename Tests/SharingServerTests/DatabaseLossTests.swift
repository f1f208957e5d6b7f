internal import Foundation
internal import Testing
internal import WhereaboutsSharingEngine

@testable internal import WhereaboutsSharing
@testable internal import WhereaboutsSharingServer

/// Tests for a server whose database was lost or restored from a backup: each device repeats its data.
struct DatabaseLossTests {
    let town: Town

    init() throws {
        self.town = try Town()
    }

    /// Registers a device, and revokes one of two grants.
    private func prepare(_ port: Int) async throws -> (kept: Signed<Grant>, revoked: Signed<Grant>) {
        let (sharer, requester, kept) = try await self.town.people(port: port)
        let revoked = try sharer.approve(
            requester: requester.profile.identity.publicIdentity,
            precision: .full,
            for: .seconds(3600)
        )
        try await sharer.revoke(revoked)
        return (kept, revoked)
    }

    private func isRevoked(_ grant: Signed<Grant>) async throws -> Bool {
        let store = try SQLiteStore(path: self.town.path("server.sqlite"), policy: SharingPolicy())
        return try await store.read { try $0.isRevoked(grant.value) }
    }

    /// The database and its log.
    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.town.directory)
            .filter { $0.hasPrefix("server.sqlite") && !$0.hasSuffix(".lock") }
    }

    private func loseDatabase() throws {
        for name in try self.files() { try FileManager.default.removeItem(atPath: self.town.path(name)) }
    }

    @Test func aLostDatabaseHasTheRegistrationAndTheRevocationsAgain() async throws {
        let town = self.town
        let (port, grants) = try await town.withServer { port in (port, try await self.prepare(port)) }
        try self.loseDatabase()
        try await town.withServer(port: port) { port in
            let sharer = try Sharer(profile: town.profile("sharer", port: port))
            // No app runs: any reply of the server is enough.
            #expect(try await sharer.devices().map(\.isThis) == [true])
            let requester = try Requester(profile: town.profile("requester", port: port))
            async let asked = requester.updates(grants.kept)
            try await sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            #expect(await asked.last?.state.kind == .answered)
        }
        #expect(try await self.isRevoked(grants.revoked))
        #expect(try await !self.isRevoked(grants.kept))
    }

    @Test func aRestoredDatabaseHasTheRevocationsAgainOnceTheAppRegisters() async throws {
        let town = self.town
        let (port, people) = try await town.withServer { port in (port, try await town.people(port: port)) }
        let backup = try self.files().map { (name: $0, bytes: try Data(contentsOf: URL(filePath: town.path($0)))) }
        try await town.withServer(port: port) { _ in try await people.sharer.revoke(people.grant) }
        #expect(try await self.isRevoked(people.grant))
        try self.loseDatabase()
        for file in backup { try file.bytes.write(to: URL(filePath: town.path(file.name))) }
        #expect(try await !self.isRevoked(people.grant))
        try await town.withServer(port: port) { _ in
            try await people.sharer.register(deviceToken: Town.token, topic: Town.topic)
        }
        #expect(try await self.isRevoked(people.grant))
    }

    /// Goal: a server that was not restarted gets each revocation once.
    @Test func nothingIsRepeatedToTheSameDatabase() async throws {
        let town = self.town
        try await town.withServer { port in
            _ = try await self.prepare(port)
            let sharer = try Sharer(profile: town.profile("sharer", port: port))
            _ = try await sharer.devices()
            #expect(await !sharer.messages.remind())
            try "0123456789abcdef0123456789abcdef".write(
                toFile: town.path("sharer/database"),
                atomically: true,
                encoding: .utf8
            )
            #expect(await sharer.messages.remind())
        }
    }
}
