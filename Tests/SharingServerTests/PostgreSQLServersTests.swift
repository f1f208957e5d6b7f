internal import Rig
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine

@testable internal import WhereaboutsSharingServer

/// Tests for several servers with one PostgreSQL database.
///
/// They do not notify each other yet: a change made at one server is seen at another with the next read of the
/// database.
@Suite(.timeLimit(.minutes(2)), .enabled(if: PostgreSQLServer.programs != nil, "\(PostgreSQLServer.absence)"))
struct PostgreSQLServersTests {
    @Test func aDeviceOfOneServerAnswersARequestToAnother() async throws {
        let (town, push) = (try Town(), PushModel())
        let (url, _) = try PostgreSQLServer.ofThisProcess().address()
        try await town.withServer(database: url) { first in
            try await town.withServer(push: push, database: url) { second in
                let sharer = try Sharer(profile: town.profile("sharer", port: first))
                let requester = try Requester(profile: town.profile("requester", port: second))
                try await sharer.register(deviceToken: Town.token, topic: Town.topic)
                let grant = try sharer.approve(
                    requester: requester.profile.identity.publicIdentity,
                    precision: .full,
                    for: .seconds(3600)
                )
                async let asked = requester.updates(grant)
                try await sharer.respond(to: town.received(by: sharer, from: push)) { try Town.measure() }
                #expect(await asked.last?.state.kind == .answered)
                // A revocation that one server accepted is effective at the other.
                try await sharer.revoke(grant)
                #expect(await requester.updates(grant).last?.state.kind == .refused)
            }
        }
    }

    @Test func aServerThatCannotReachItsDatabaseSaysWhy() throws {
        let town = try Town()
        let configuration = SharingServer.Configuration(
            host: "127.0.0.1",
            port: 0,
            certificate: town.path("tls.pem"),
            privateKey: town.path("tls.key"),
            database: "postgres:///whereabouts?host=/nowhere"
        )
        let error = #expect(throws: SharingError.self) {
            try SharingServer(configuration: configuration, push: town.push, logger: town.log.logger)
        }
        #expect(error?.message.contains("/nowhere") == true)
    }
}
