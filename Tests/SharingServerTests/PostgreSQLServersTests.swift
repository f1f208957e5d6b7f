internal import Rig
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine

@testable internal import WhereaboutsSharingServer

/// Tests for several servers with one PostgreSQL database: any of them serves any client.
@Suite(.timeLimit(.minutes(2)), .enabled(if: PostgreSQLServer.programs != nil, "\(PostgreSQLServer.absence)"))
struct PostgreSQLServersTests {
    /// Runs two servers: a device is registered at the first, and the pushes of the second reach it.
    private func withServers(
        limits: GrantLimits = GrantLimits(),
        _ body: @escaping @Sendable (Sharer, Requester, Signed<Grant>, Town, PushModel) async throws -> Void
    ) async throws {
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
                    for: .seconds(3600),
                    limits: limits
                )
                try await body(sharer, requester, grant, town, push)
            }
        }
    }

    @Test func aDeviceOfOneServerAnswersARequestToAnother() async throws {
        try await self.withServers { sharer, requester, grant, town, push in
            async let asked = requester.updates(grant)
            try await sharer.respond(to: town.received(by: sharer, from: push)) { try Town.measure() }
            #expect(await asked.last?.state.kind == .answered)
            // A revocation that one server accepted is effective at the other.
            try await sharer.revoke(grant)
            #expect(await requester.updates(grant).last?.state.kind == .refused)
        }
    }

    /// Goal: updates of a live share, which no database stores, reach a follower of another server.
    @Test func aFollowerOfOneServerSeesWhatADeviceSendsToAnother() async throws {
        try await self.withServers(limits: GrantLimits(followMinutesMax: 60)) { sharer, requester, grant, town, push in
            let places = Places()
            async let device: Void = {
                let request = try await town.received(by: sharer, from: push)
                try await sharer.respond(to: request, handsOver: true) { try Town.measure() }
                await sharer.followerMessages.tell(places.stream)
            }()
            var updates: [FollowUpdate] = []
            for await update in requester.follow(grant, minutes: 30, suite: .x25519).updates {
                updates.append(update)
                switch update {
                case .request(let state) where state.state.kind == .answered: places.move(to: 1)
                case .place(.moving, _, _): places.rest(at: 2)
                case .place(.still, _, _): try await sharer.end(#require(sharer.profile.followers().first))
                default: break
                }
            }
            let seen = updates.compactMap { update in
                if case .place(let place, _, _) = update { place.fix?.latitude } else { nil }
            }
            #expect(seen == [53, 54])
            #expect(updates.last == .ended(.bySharer, FollowingEnd.Reason.bySharer.words))
            try await device
        }
    }

    /// Goal: a server that dies before the push service accepted its push loses no request; another server continues it.
    @Test func anotherServerContinuesTheRequestsOfADeadOne() async throws {
        let (town, push) = (try Town(push: PushModel(.reject(.temporary("down")))), PushModel())
        let (url, _) = try PostgreSQLServer.ofThisProcess().address()
        try await town.withServer(push: push, database: url) { second in
            let sharer = try Sharer(profile: town.profile("sharer", port: second))
            try await sharer.register(deviceToken: Town.token, topic: Town.topic)
            let (port, asked) = try await town.withServer(database: url) { first in
                let requester = try Requester(profile: town.profile("requester", port: first))
                let grant = try sharer.approve(
                    requester: requester.profile.identity.publicIdentity,
                    precision: .full,
                    for: .seconds(3600)
                )
                let (states, state) = AsyncStream.makeStream(of: Void.self)
                let asked = Task {
                    var last: RequestState.Kind?
                    for await update in requester.ask(grant) {
                        last = update.state.kind
                        state.yield()
                    }
                    return last
                }
                for await _ in states { break }
                return (first, asked)
            }
            try await sharer.respond(to: town.received(by: sharer, from: push)) { try Town.measure() }
            // The requester's client waits at the address of the dead server, where a new one starts.
            try await town.withServer(port: port, database: url) { _ in #expect(await asked.value == .answered) }
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
