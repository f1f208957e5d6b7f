internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsSharingServer

/// Tests for requests that must not reach a device, and for input that our clients never send.
struct RefusedTests {
    let town: Town

    init() throws {
        self.town = try Town()
    }

    /// Goal: a refused requester does not learn the reason.
    ///
    /// Method: the replies are compared byte for byte.
    @Test func everyRefusalIsTheSameAndPushesNothing() async throws {
        let town = self.town
        try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            let (me, stranger) = (requester.profile.identity, try Identity())
            var replies: [String: (status: UInt, body: String)] = [:]
            func ask(_ name: String, _ request: Signed<Request>) async throws {
                replies[name] = try await town.send(port: port, "/v1/requests", request.bytes)
            }
            try await ask("stranger with a found grant", town.request(grant, by: stranger))
            let forged = Signed(value: grant.value, signature: Array(repeating: 0, count: 64))
            try await ask("forged grant", town.request(forged, by: me))
            let now = WallTime.now
            let expired = try sharer.profile.identity.sign(
                Grant(
                    id: grant.value.id,
                    sharer: grant.value.sharer,
                    requester: me.publicIdentity,
                    precision: .full,
                    notBefore: WallTime(milliseconds: 0),
                    notAfter: now,
                    intervalMin: 0
                )
            )
            try await ask("expired grant", town.request(expired, by: me))
            try await sharer.revoke(grant)
            try await ask("revoked grant", town.request(grant, by: me))

            let reference = try #require(replies["revoked grant"])
            #expect(replies.count == 4)
            #expect(reference.status == 403)
            for (name, reply) in replies { #expect(reply == reference, "\(name)") }
            let update = try #require(await requester.updates(grant).last)
            #expect(update.state.kind == .refused)
            #expect(reference.body.contains(update.state.reason))
        }
        #expect(town.push.attempts == 0)
    }

    /// Goal: if the sharer has not opened their app yet, a friend gets a message that says so, and that reveals no
    /// revocation.
    @Test func aSharerWithoutADeviceIsSaidToHaveNone() async throws {
        let town = self.town
        try await town.withServer { port in
            let sharer = try Sharer(profile: town.profile("unregistered", port: port))
            let requester = try Requester(profile: town.profile("requester", port: port))
            let me = requester.profile.identity
            let grant = try sharer.approve(requester: me.publicIdentity, precision: .full, for: .seconds(60))
            let update = try #require(await requester.updates(grant).last)
            #expect(update.state.kind == .refused)
            #expect(update.state.reason.contains("not registered with this server"), "\(update.state.reason)")
            #expect(update.state.code == "unknownDevice")
            let before = try await town.send(port: port, "/v1/requests", town.request(grant, by: me).bytes)
            try await sharer.revoke(grant)
            #expect(try await town.send(port: port, "/v1/requests", town.request(grant, by: me).bytes) == before)
            // A stranger who found the grant, and one who forged it, get the usual reply.
            let stranger = try Identity()
            let found = try await town.send(port: port, "/v1/requests", town.request(grant, by: stranger).bytes)
            let forged = Signed(value: grant.value, signature: Array(repeating: 0, count: 64))
            #expect(try await town.send(port: port, "/v1/requests", town.request(forged, by: me).bytes) == found)
            #expect(found != before && found.status == 403)
        }
        #expect(town.push.attempts == 0)
    }

    @Test func revocationOfAStrangerHasNoEffect() async throws {
        let town = self.town
        try await town.withServer { port in
            let (_, requester, grant) = try await town.people(port: port)
            let stranger = try Identity()
            let revocation = try stranger.sign(
                Revocation(grant: grant.value.id, sharer: stranger.publicIdentity, notAfter: grant.value.notAfter)
            )
            #expect(try await town.send(port: port, "/v1/revocations", revocation.bytes).status == 204)
            let forged = Signed(value: Revocation(of: grant.value), signature: revocation.signature)
            #expect(try await town.send(port: port, "/v1/revocations", forged.bytes).status == 403)
            let request = try town.request(grant, by: requester.profile.identity)
            #expect(try await town.send(port: port, "/v1/requests", request.bytes).status == 202)
        }
    }

    @Test func requestIsPostedTwiceAndPushedOnce() async throws {
        let town = self.town
        try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port)
            let me = requester.profile.identity
            let request = try town.request(grant, by: me)
            let first = try await town.send(port: port, "/v1/requests", request.bytes)
            let second = try await town.send(port: port, "/v1/requests", request.bytes)
            #expect(first.status == 202 && first == second)
            // Different bytes with the same ID are another request, and the requester gets an error.
            let other = Request(
                id: request.value.id,
                grant: grant,
                precision: .reduced,
                suite: .x25519,
                publicKey: request.value.publicKey,
                issued: request.value.issued,
                expires: request.value.expires
            )
            let conflict = try await town.send(port: port, "/v1/requests", me.sign(other).bytes)
            #expect(conflict.status == 409 && conflict.body.contains("ask with a new ID"))
            let incoming = try await town.received(by: sharer)
            try await sharer.respond(to: incoming) { try Town.measure() }
            // A second answer is rejected, and a repeated one changes nothing.
            let journal = try sharer.profile.journal()
            try await sharer.respond(to: incoming) { try Town.measure() }
            #expect(try sharer.profile.journal() == journal)
            let (id, answerer) = (incoming.request.id, sharer.profile.identity)
            let again = SealedAnswer(request: id, sharer: answerer.publicIdentity, sealed: [1])
            let path = "/v1/requests/\(id)/answer"
            #expect(try await town.send(port: port, path, answerer.sign(again).bytes).status == 200)
        }
        #expect(town.push.attempts == 1)
    }

    @Test func tooSoonSaysWhen() async throws {
        let town = self.town
        let updates = try await town.withServer { port in
            let (sharer, requester, grant) = try await town.people(port: port, atMostEvery: .seconds(600))
            async let device: Void = sharer.respond(to: town.received(by: sharer)) { try Town.measure() }
            #expect(await requester.updates(grant).last?.state.kind == .answered)
            try await device
            return await requester.updates(grant)
        }
        #expect(updates.map(\.state.kind) == [.tooSoon])
        let wait = WallTime.now.duration(to: try #require(updates.last).state.time)
        #expect(wait > .seconds(500) && wait <= .seconds(600))
        #expect(town.push.attempts == 1)
    }

    @Test func malformedInputNamesTheRule() async throws {
        let town = self.town
        try await town.withServer { port in
            for path in ["/v1/devices", "/v1/revocations", "/v1/requests", "/v1/requests/0/progress"] {
                let short = try await town.send(port: port, path, [1, 2, 3])
                #expect(short.status == 400 && short.body.contains("malformed at byte"), "\(path): \(short.body)")
                let bytes = [UInt8](repeating: 0, count: SharingRoutes.bodyByteCountMax + 1)
                let long = try await town.send(port: port, path, bytes)
                #expect(long.status == 413, "\(path): \(long.body)")
            }
            #expect(try await town.send(port: port, "/v2/requests", [1]).status == 404)
        }
    }

    /// Goal: twice the longest message of our clients is accepted, for fields of later versions.
    @Test func theLongestStatementsHaveRoom() {
        let longest = max(Request.longestByteCount, SealedAnswer.longestByteCount)
        #expect(2 * longest <= SharingRoutes.bodyByteCountMax)
    }

    @Test func onlyTheRequesterReadsAndOnlyTheSharerAnswers() async throws {
        let town = self.town
        try await town.withServer { port in
            let (_, requester, grant) = try await town.people(port: port)
            let request = try town.request(grant, by: requester.profile.identity)
            _ = try await town.send(port: port, "/v1/requests", request.bytes)
            let path = "/v1/requests/\(request.value.id)"
            let stranger = try Identity()
            let permit = try stranger.sign(ReadPermit(request: request.value.id, requester: stranger.publicIdentity))
            for authorization in [
                nil, "Whereabouts", "Whereabouts ????", "Whereabouts \(Base64URL.text(of: permit.bytes))",
            ] {
                let reply = try await town.send(port: port, path + "/events", authorization: authorization)
                #expect(reply.status == 404)
            }
            let answer = try stranger.sign(
                SealedAnswer(request: request.value.id, sharer: stranger.publicIdentity, sealed: [1])
            )
            #expect(try await town.send(port: port, path + "/answer", answer.bytes).status == 404)
            let report = try stranger.sign(
                DeviceReport(request: request.value.id, sharer: stranger.publicIdentity, progress: .woken)
            )
            #expect(try await town.send(port: port, path + "/progress", report.bytes).status == 404)
            let forged = Signed(
                value: SealedAnswer(request: request.value.id, sharer: grant.value.sharer, sealed: [1]),
                signature: answer.signature
            )
            #expect(try await town.send(port: port, path + "/answer", forged.bytes).status == 403)
        }
    }

    @Test func filesThatCannotBeUsedAreNamed() throws {
        for (certificate, key) in [("none.pem", "tls.key"), ("tls.pem", "none.key"), ("ca.pem", "ca.pem")] {
            let error = #expect(throws: SharingError.self) {
                try SharingServer(
                    configuration: SharingServer.Configuration(
                        host: "127.0.0.1",
                        port: 0,
                        certificate: self.town.path(certificate),
                        privateKey: self.town.path(key),
                        database: self.town.path("x.sqlite")
                    ),
                    push: self.town.push,
                    logger: self.town.log.logger
                )
            }
            #expect(error?.message.contains("--") == true)
        }
    }
}
