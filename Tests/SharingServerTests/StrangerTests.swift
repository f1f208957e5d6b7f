internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// A stranger's registration, made without our initialisers.
private struct LooseRegistration: Signable {
    static var domain: String { Registration.domain }

    let signer: PublicIdentity
    let topic: [UInt8]
    private let issued = WallTime.now

    func write(to writer: inout ByteWriter) {
        writer.fixed(self.signer.bytes)
        writer.integer(self.issued.milliseconds)
        writer.fixed(Array(1...16))
        writer.integer(self.issued.milliseconds)
        // The base point of X25519, which is a key that a push can be sealed to.
        writer.fixed([9] + Array(repeating: 0, count: RegisteredDevice.pushKeyByteCount - 1))
        writer.fixed(Array(repeating: 0, count: RegisteredDevice.sealedNameByteCount))
        writer.counted([1])
        writer.counted(self.topic)
    }

    init(signer: PublicIdentity, topic: String) {
        self.signer = signer
        self.topic = Array(topic.utf8)
    }

    init(from reader: inout ByteReader) throws { throw TownError() }
}

/// A stranger with a connection and a new key pair, and the honest people on the server.
struct StrangerTests {
    let town: Town

    init() throws {
        self.town = try Town()
    }

    /// An honest request from end to end.
    private func expectService(
        _ people: (sharer: Sharer, requester: Requester, grant: Signed<Grant>)
    ) async throws {
        let town = self.town
        async let device: Void = people.sharer.respond(to: town.received(by: people.sharer)) { try Town.measure() }
        #expect(await people.requester.updates(people.grant).last?.state.kind == .answered)
        try await device
    }

    @Test func aTopicThatBreaksAHeaderIsRefused() async throws {
        let town = self.town
        try await town.withServer { port in
            let stranger = try Identity()
            for topic in ["a\r\nb", "a\0b", "a\nx: y", "a b"] {
                let loose = try stranger.sign(LooseRegistration(signer: stranger.publicIdentity, topic: topic))
                let reply = try await town.send(port: port, "/v1/devices", loose.bytes)
                #expect(reply.status == 400 && reply.body.contains("topic"), "\(reply.body)")
            }
            try await self.expectService(town.people(port: port))
        }
    }

    @Test func aKeyThatNothingCanBeSealedToCostsNoPush() async throws {
        let town = self.town
        try await town.withServer { port in
            let people = try await town.people(port: port)
            let me = people.requester.profile.identity
            for (suite, key) in [
                (Suite.xWing, Array(repeating: 0xFF, count: 1216)), (.x25519, Array(repeating: 0, count: 32)),
                (.x25519, [1] + Array(repeating: 0, count: 31)),
            ] as [(Suite, [UInt8])] {
                let request = try town.request(people.grant, by: me, suite, publicKey: key)
                for _ in 0..<20 {
                    #expect(try await town.send(port: port, "/v1/requests", request.bytes).status == 403)
                }
            }
            #expect(town.push.attempts == 0)
            try await self.expectService(people)
        }
    }

    @Test func oneGrantLeavesPlacesForTheOthers() async throws {
        let town = self.town
        try await town.withServer { port in
            let people = try await town.people(port: port)
            let me = people.requester.profile.identity
            var statuses: [UInt] = []
            for _ in 0..<6 {
                statuses.append(
                    try await town.send(port: port, "/v1/requests", town.request(people.grant, by: me).bytes).status
                )
            }
            #expect(statuses == [202, 202, 202, 202, 429, 429])
            let other = try people.sharer.approve(requester: me.publicIdentity, precision: .full, for: .seconds(60))
            #expect(try await town.send(port: port, "/v1/requests", town.request(other, by: me).bytes).status == 202)
        }
    }

    @Test func identitiesOfOneAddressAreBounded() async throws {
        let town = self.town
        try await town.withServer(policy: SharingPolicy(newcomerPace: Pace(interval: .seconds(600), burst: 4))) {
            port in
            let people = try await town.people(port: port)
            var statuses: [UInt] = []
            for number in 0..<5 {
                let stranger = try Identity()
                let end = WallTime.now.advanced(by: .seconds(60))
                // Both survive the connection: registrations, and revocations of unregistered people.
                let statement =
                    number % 2 == 0
                    ? try stranger.sign(LooseRegistration(signer: stranger.publicIdentity, topic: "a")).bytes
                    : try stranger.sign(
                        Revocation(grant: people.grant.value.id, sharer: stranger.publicIdentity, notAfter: end)
                    ).bytes
                let path = number % 2 == 0 ? "/v1/devices" : "/v1/revocations"
                statuses.append(try await town.send(port: port, path, statement).status)
            }
            #expect(statuses == [204, 204, 204, 429, 429])
            // Known sharers can still renew and revoke.
            try await people.sharer.register(deviceToken: Town.token, topic: Town.topic)
            try await self.expectService(people)
            try await people.sharer.revoke(people.grant)
        }
    }

    @Test func aRevocationOfManyCenturiesIsRefused() async throws {
        let town = self.town
        try await town.withServer { port in
            let (sharer, _, grant) = try await town.people(port: port)
            let identity = sharer.profile.identity
            let long = try identity.sign(
                Revocation(
                    grant: grant.value.id,
                    sharer: identity.publicIdentity,
                    notAfter: WallTime(milliseconds: .max)
                )
            )
            let reply = try await town.send(port: port, "/v1/revocations", long.bytes)
            #expect(reply.status == 400 && reply.body.contains("ten years"))
        }
    }

    /// Goal: silent connections from one or many addresses do not block others.
    ///
    /// Method: all of 127.0.0.0/8 is this machine; there are 32 places, of which one address gets 16.
    @Test func silentConnectionsMakeRoom() async throws {
        let town = self.town
        try await town.withServer(connectionsMax: 32) { port in
            func connect(from address: String) async throws -> any Channel {
                try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .bind(to: SocketAddress(ipAddress: address, port: 0))
                    .connect(host: "127.0.0.1", port: port).get()
            }
            let people = try await town.people(port: port)
            var held: [any Channel] = []
            for _ in 0..<16 { held.append(try await connect(from: "127.0.0.2")) }
            // The address has all its places, so its next connection is closed at once.
            try await connect(from: "127.0.0.2").closeFuture.get()
            for number in 3..<10 {
                for _ in 0..<8 { held.append(try await connect(from: "127.0.0.\(number)")) }
                try await self.expectService(people)
            }
            // The oldest connections were closed first.
            try await held[0].closeFuture.get()
            for channel in held { channel.close(promise: nil) }
            try await self.expectService(people)
        }
    }

    /// Goal: a connection with a stranger's accepted signed messages can be replaced like any other stranger's.
    ///
    /// Method: all 32 places are occupied by strangers whose messages the server accepted.
    @Test func anAcceptedMessageIsNoTrust() async throws {
        let town = self.town
        try await town.withServer(connectionsMax: 32) { port in
            let people = try await town.people(port: port)
            var held: [RawClient] = []
            for number in 2..<8 {
                for _ in 0..<8 {
                    let client = try await RawClient(town, port: port, from: "127.0.0.\(number)")
                    let me = try Identity()
                    let registration = LooseRegistration(signer: me.publicIdentity, topic: "a")
                    #expect(try await client.post("/v1/devices", me.sign(registration).bytes) == "204")
                    held.append(client)
                }
                try await self.expectService(people)
            }
            for client in held { client.close() }
        }
    }

    /// Goal: devices that answer do not count as their address's newcomers, and a repeated answer does not change that.
    ///
    /// Method: half of 100 places are occupied from elsewhere, so an address may have 16 newcomers.
    @Test func aDeviceThatAnsweredIsNoNewcomer() async throws {
        let town = self.town
        try await town.withServer(connectionsMax: 100) { port in
            let people = try await town.people(port: port)
            let asking = Task { await people.requester.updates(people.grant).last?.state.kind }
            let id = try await town.received(by: people.sharer).request.id
            let identity = people.sharer.profile.identity
            let answer = SealedAnswer(
                request: id,
                sharer: identity.publicIdentity,
                sealed: Array(repeating: 1, count: 200)
            )
            let (path, bytes) = ("/v1/requests/\(id)/answer", try identity.sign(answer).bytes)
            var held: [RawClient] = []
            for number in 0..<50 {
                held.append(try await RawClient(town, port: port, from: "127.0.0.\(3 + number / 8)"))
            }
            let device = try await RawClient(town, port: port, from: "127.0.0.2")
            #expect(try await device.post(path, bytes) == "200")
            for _ in 0..<16 {
                let newcomer = try await RawClient(town, port: port, from: "127.0.0.2")
                #expect(try await newcomer.post(path, bytes) == "200")
                held.append(newcomer)
            }
            let last = try await RawClient(town, port: port, from: "127.0.0.2")
            #expect(try await last.post(path, bytes) == nil)
            for client in held + [device] { client.close() }
            _ = await asking.value
        }
    }

    /// Goal: one stranger cannot occupy all event streams, with however many keys.
    ///
    /// Method: there are 40 streams; from the twentieth on, an address may have 16 about new sharers.
    @Test func oneAddressDoesNotTakeAllStreams() async throws {
        let town = self.town
        try await town.withServer(eventStreamsMax: 40) { port in
            let people = try await town.people(port: port)
            let (held, statuses) = try await self.takeStreams(30, people, from: "127.0.0.2", port: port)
            #expect(statuses == Array(repeating: "200", count: 20) + Array(repeating: "503", count: 10))
            try await self.expectService(people)
            for client in held { client.close() }
        }
    }

    /// Goal: when all streams are in use, the oldest one of a stranger is closed.
    @Test func theOldestStreamMakesRoom() async throws {
        let town = self.town
        try await town.withServer(eventStreamsMax: 16) { port in
            let people = try await town.people(port: port)
            var held: [RawClient] = []
            for number in 2..<4 {
                let taken = try await self.takeStreams(8, people, from: "127.0.0.\(number)", port: port)
                #expect(taken.statuses == Array(repeating: "200", count: 8))
                held += taken.held
            }
            try await self.expectService(people)
            await held[0].ended()
            for client in held { client.close() }
        }
    }

    /// Opens streams about requests of fresh keys, one connection each.
    private func takeStreams(
        _ count: Int,
        _ people: (sharer: Sharer, requester: Requester, grant: Signed<Grant>),
        from address: String,
        port: Int
    ) async throws -> (held: [RawClient], statuses: [String?]) {
        var held: [RawClient] = []
        var statuses: [String?] = []
        for _ in 0..<count {
            let requester = try Identity()
            let sharer = try Sharer(profile: self.town.profile("stranger-\(UUID().uuidString)", port: port))
            try await sharer.register(deviceToken: Town.token, topic: Town.topic)
            let person = requester.publicIdentity
            let grant = try sharer.approve(requester: person, precision: .full, for: .seconds(60))
            let request = try self.town.request(grant, by: requester)
            #expect(try await self.town.send(port: port, "/v1/requests", request.bytes).status == 202)
            // The push goes to the stranger's device.
            for await _ in self.town.push.pushes { break }
            let permit = try requester.sign(ReadPermit(request: request.value.id, requester: person))
            let client = try await RawClient(self.town, port: port, from: address)
            statuses.append(
                try await client.get(
                    "/v1/requests/\(request.value.id)/events",
                    authorization: "Whereabouts \(Base64URL.text(of: permit.bytes))"
                )
            )
            held.append(client)
        }
        return (held, statuses)
    }

    @Test func oldVersionsOfTLSAreNotSpoken() async throws {
        let town = self.town
        try await town.withServer { port in
            for (version, status) in [(TLSVersion.tlsv11, nil), (.tlsv12, nil), (.tlsv13, "404")] {
                let client = try await RawClient(town, port: port, from: "127.0.0.1", tls: version)
                #expect(try await client.get("/v1/health", authorization: "") == status)
                client.close()
            }
        }
    }

    /// Goal: a server without a free event stream reports that it is busy, not broken.
    @Test func aRequesterWithoutAStreamComesAgain() async throws {
        let town = self.town
        let kinds = try await town.withServer(eventStreamsMax: 0) { port in
            let (_, requester, grant) = try await town.people(port: port)
            return await requester.updates(grant, deadline: .seconds(1)).map(\.state.kind)
        }
        #expect(kinds == [.expired])
    }
}
