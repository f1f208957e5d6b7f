internal import Crypto
internal import FakeAPNS
internal import Foundation
internal import Rig
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Tests a sharing server process whose power is cut right after an acknowledgement.
///
/// Each test fails with `synchronous=NORMAL`, which SQLite uses after GRDB opened a file in WAL mode.
@Suite(.timeLimit(.minutes(3))) struct PowerCutTests {
    private let town: Town
    private let apple: FakeAPNS
    private let power: PowerCut
    private let port: Int

    init() async throws {
        self.town = try Town()
        self.apple = try await FakeAPNS.start()
        self.port = Int(try Loopback.freePort())
        try FileManager.default.createDirectory(atPath: self.town.path("disk"), withIntermediateDirectories: false)
        self.power = try PowerCut(in: self.town.path("disk"), Binaries())
        let key = P256.Signing.PrivateKey().pemRepresentation
        try key.write(toFile: self.town.path("key.p8"), atomically: true, encoding: .utf8)
    }

    private func start() throws -> Child {
        let child = try Child(
            "server",
            try Binaries().path("whereabouts"),
            [
                "server", "--address", "127.0.0.1:\(self.port)", "--certificate", self.town.path("tls.pem"),
                "--private-key", self.town.path("tls.key"), "--database", self.town.path("disk/server.sqlite"),
                "--apns-endpoint", "localhost:\(self.apple.port)", "--apns-trust-roots", self.apple.authorityPath,
                "--apns-key", self.town.path("key.p8"), "--apns-key-id", "KEYKEYKEY1", "--apns-team-id", "TEAMTEAM01",
            ],
            environment: self.power.environment,
            log: self.town.path("server.log")
        )
        _ = try child.waitForLine(within: 30) { $0.hasPrefix("listening ") }
        return child
    }

    /// Kills a server, removes unsynchronised data from its directory, and starts it again.
    private func cutPower(_ child: inout Child) throws {
        child.kill()
        try self.power.cut()
        child = try self.start()
    }

    private func ask(_ request: Signed<Request>) async throws -> UInt {
        try await self.town.send(port: self.port, "/v1/requests", request.bytes).status
    }

    /// The events of a request up to its last one.
    private func events(_ request: Signed<Request>, by requester: Identity) async throws -> String {
        let permit = try requester.sign(ReadPermit(request: request.value.id, requester: requester.publicIdentity))
        return try await self.town.send(
            port: self.port,
            "/v1/requests/\(request.value.id)/events",
            authorization: "Whereabouts \(Base64URL.text(of: permit.bytes))"
        ).body
    }

    private func pushed(_ count: Int, to sharer: Sharer) async throws -> IncomingRequest {
        await self.apple.came(count)
        let body = Data(self.apple.requests[count - 1].body.utf8)
        let payload = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        return try sharer.receive(pushPayload: payload)
    }

    @Test func aRegistrationARequestAndItsAnswerAreKept() async throws {
        var child = try self.start()
        defer { child.kill() }
        let (sharer, requester, grant) = try await self.town.people(port: self.port)
        try self.cutPower(&child)
        let request = try self.town.request(grant, by: requester.profile.identity)
        #expect(try await self.ask(request) == 202)
        try self.cutPower(&child)
        // The push of an accepted request is sent, even if it is sent twice.
        try await sharer.respond(to: self.pushed(1, to: sharer)) { try Town.measure() }
        try self.cutPower(&child)
        let events = try await self.events(request, by: requester.profile.identity)
        #expect(events.contains(#""kind":"answered""#), "\(events)")
    }

    @Test func aRevocationIsKept() async throws {
        var child = try self.start()
        defer { child.kill() }
        let (sharer, requester, grant) = try await self.town.people(port: self.port)
        try await sharer.revoke(grant)
        try self.cutPower(&child)
        // So that the revocation is the only reason to refuse.
        try await sharer.register(deviceToken: Town.token, topic: Town.topic)
        #expect(try await self.ask(self.town.request(grant, by: requester.profile.identity)) == 403)
    }

    @Test func aRemovalOfADeviceIsKept() async throws {
        var child = try self.start()
        defer { child.kill() }
        let (phone, _, _) = try await self.town.people(port: self.port)
        let passphrase = "correct horse battery staple"
        let backup = try phone.profile.backup(passphrase: passphrase, cost: 10)
        let tablet = try Sharer(
            profile: SharingProfile.restore(backup, passphrase: passphrase, path: self.town.path("tablet"))
        )
        try await tablet.register(deviceToken: Data([2]), topic: Town.topic)
        let id = try #require(try await tablet.devices().first { $0.isThis }?.id)
        try await phone.remove(id)
        try self.cutPower(&child)
        try await phone.register(deviceToken: Town.token, topic: Town.topic)
        let error = await #expect(throws: SharingError.self) {
            try await tablet.register(deviceToken: Data([2]), topic: Town.topic)
        }
        #expect(error?.code == .refused)
    }

    @Test func aScheduleAndItsEndAreKept() async throws {
        var child = try self.start()
        defer { child.kill() }
        let (sharer, requester, grant) = try await self.town.people(port: self.port)
        let repetition = Repetition(everyMinutes: 15, until: WallTime.now.advanced(by: .seconds(3000)))
        async let device: Void = sharer.respond(to: self.pushed(1, to: sharer)) { try Town.measure() }
        var last: RequestUpdate?
        for await update in requester.ask(grant, repeating: repetition, suite: .x25519AES) { last = update }
        try await device
        #expect(last?.state.kind == .answered)
        let schedule = try #require(requester.profile.outgoingSchedules().first)
        try self.cutPower(&child)
        #expect(try await requester.occurrences(of: schedule).next != nil)
        try await requester.end(schedule)
        try self.cutPower(&child)
        #expect(try await requester.occurrences(of: schedule).ended == .byFollower)
    }
}
