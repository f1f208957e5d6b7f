internal import Foundation
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// Tests for links over real TLS: created, opened, used, and ended in every way.
struct LinkTests {
    private let town: Town

    init() throws {
        self.town = try Town()
    }

    private struct OneKey: IdentityStore {
        let key: [UInt8]
        func read() -> [UInt8]? { self.key }
        func create(_ key: [UInt8]) -> Bool { false }
    }

    private static let hour = Duration.seconds(3600)

    private func sharer(_ name: String = "sharer", port: Int) async throws -> Sharer {
        let sharer = try Sharer(profile: self.town.profile(name, port: port))
        try await sharer.register(deviceToken: Town.token, topic: Town.topic)
        return sharer
    }

    private func secret(of link: SharedLink, password: String? = nil) throws -> LinkSecret {
        let fragment = try #require(link.text.split(separator: "#").last)
        #expect(fragment.hasPrefix(".") == (password != nil))
        let seed = try #require(Base64URL.bytes(of: fragment.suffix(43)))
        return try LinkSecret(seed: seed, password: password)
    }

    private func look(_ secret: LinkSecret, port: Int) async throws -> UInt {
        try await self.town.send(port: port, "/v1/links/\(secret.address)").status
    }

    /// Fetches and opens a link like the page, and is then a requester.
    private func open(_ secret: LinkSecret, port: Int) async throws -> (Requester, Signed<Grant>, name: String) {
        let (grant, _, name) = try secret.open(await self.town.link(port: port, secret.address).sealed)
        let key = try secret.identity()
        #expect(grant.value.requester == key.publicIdentity)
        let profile = try SharingProfile.openOrCreate(
            path: self.town.path("viewer-\(UUID().uuidString)"),
            settings: ServerSettings(server: "https://localhost:\(port)", trustRoots: self.town.path("ca.pem")),
            identityStore: OneKey(key: secret.identitySeed)
        )
        return (try Requester(profile: profile), grant, name)
    }

    private func ask(_ requester: Requester, _ grant: Signed<Grant>, by sharer: Sharer) async throws -> RequestUpdate? {
        async let asked = requester.updates(grant)
        try await sharer.respond(to: self.town.received(by: sharer)) { try Town.measure() }
        return await asked.last
    }

    @Test func whoHasALinkAsksAsOftenAsItAllows() async throws {
        let town = self.town
        try await town.withServer { port in
            let sharer = try await self.sharer(port: port)
            let limits = GrantLimits(usesMax: 2)
            let link = try await sharer.link(
                called: "weekend",
                by: "Alice",
                precision: .full,
                for: Self.hour,
                limits: limits
            )
            #expect(sharer.profile.isLink(link.grant.value.requester))
            #expect(sharer.profile.title(of: link.grant.value.requester) == "link weekend")
            let secret = try self.secret(of: link)
            let (requester, grant, name) = try await self.open(secret, port: port)
            #expect(grant == link.grant && name == "weekend")
            for left: UInt16 in [1, 0] {
                #expect(try await town.link(port: port, secret.address).uses == 1 - Int(left))
                let last = try #require(try await self.ask(requester, grant, by: sharer))
                guard case .fix = last.answer?.content else {
                    Issue.record("\(last)")
                    return
                }
                #expect(try sharer.profile.usesLeft(of: grant.value) == left)
            }
            let used = try #require(try await self.ask(requester, grant, by: sharer))
            guard case .refusal = used.answer?.content else {
                Issue.record("\(used)")
                return
            }
            let journal = try sharer.profile.journal().requests
            #expect(journal.map(\.requester) == Array(repeating: grant.value.requester, count: 3))
        }
    }

    @Test func aRevokedLinkIsGone() async throws {
        let town = self.town
        try await town.withServer { port in
            let sharer = try await self.sharer(port: port)
            let link = try await sharer.link(by: "", precision: .reduced, for: Self.hour)
            let secret = try self.secret(of: link)
            let (requester, grant, name) = try await self.open(secret, port: port)
            #expect(name == "1" && link.name == "1")
            try await sharer.revoke(link.grant)
            #expect(try await self.look(secret, port: port) == 404)
            #expect(await requester.updates(grant).last?.state.kind == .refused)
            // The signed message that created the link does not restore it.
            let directory = sharer.profile.path + "/links"
            let name2 = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
            let statement = try Data(contentsOf: URL(filePath: "\(directory)/\(name2)"))
            #expect(try await town.send(port: port, "/v1/links", [UInt8](statement)).status == 403)
            #expect(try await self.look(secret, port: port) == 404)
        }
    }

    @Test func aLinkEndsWithItsTime() async throws {
        let town = self.town
        let (secret, port) = try await town.withServer { port in
            let sharer = try await self.sharer(port: port)
            let secret = try self.secret(of: try await sharer.link(by: "", precision: .full, for: Self.hour))
            #expect(try await self.look(secret, port: port) == 200)
            return (secret, port)
        }
        let status = try await town.withServer(port: port, ahead: Self.hour) { try await self.look(secret, port: $0) }
        #expect(status == 404)
    }

    @Test func aPasswordIsPartOfTheLink() async throws {
        let town = self.town
        try await town.withServer { port in
            let sharer = try await self.sharer(port: port)
            let password = "correct horse"
            await #expect(throws: SharingError(.badText, "")) {
                try await sharer.link(by: "", password: "short", precision: .full, for: Self.hour)
            }
            let link = try await sharer.link(by: "", password: password, precision: .full, for: Self.hour)
            for wrong in ["Correct horse", "correct horse "] {
                let seed = try #require(Base64URL.bytes(of: link.text.suffix(43)))
                #expect(try await self.look(LinkSecret(seed: seed, password: wrong), port: port) == 404)
            }
            let (_, grant, _) = try await self.open(self.secret(of: link, password: password), port: port)
            #expect(grant == link.grant)
        }
    }

    /// Goal: guessing a password is slowed, and the right one looks like any other during that time.
    @Test func whoGuessesIsSlowed() async throws {
        let town = self.town
        try await town.withServer { port in
            let sharer = try await self.sharer(port: port)
            let secret = try self.secret(of: try await sharer.link(by: "", precision: .full, for: Self.hour))
            for _ in 0..<40 { #expect(try await self.look(secret, port: port) == 200) }
            var guesses = 0
            for path in ["x", "0123", String(repeating: "A", count: 32)] {
                #expect(try await town.send(port: port, "/v1/links/\(path)").status == 404)
                guesses += 1
            }
            var refused: (status: UInt, body: String)?
            while refused == nil, guesses < 100 {
                let address = LinkAddress(high: 7, low: UInt64(guesses))
                let reply = try await town.send(port: port, "/v1/links/\(address)")
                if reply.status == 404 { guesses += 1 } else { refused = reply }
            }
            #expect(guesses >= SharingPolicy.linkMissPace.burst && guesses < SharingPolicy.linkMissPace.burst + 10)
            #expect(refused?.status == 429 && refused?.body.contains("\"until\":") == true)
            #expect(try await self.look(secret, port: port) == 429)
        }
    }

    @Test func whatIsNoLinkIsRefused() async throws {
        let town = self.town
        try await town.withServer { port in
            let sharer = try await self.sharer(port: port)
            let identity = sharer.profile.identity
            func link(_ number: UInt64, until end: WallTime = .now.advanced(by: Self.hour)) -> LinkedGrant {
                LinkedGrant(
                    address: LinkAddress(high: 3, low: number),
                    sharer: identity.publicIdentity,
                    grant: GrantID(high: 3, low: number),
                    notAfter: end,
                    sealed: Array(repeating: 1, count: LinkedGrant.sealedByteCount)
                )
            }
            func post(_ bytes: [UInt8]) async throws -> UInt {
                try await town.send(port: port, "/v1/links", bytes).status
            }
            let good = try identity.sign(link(1)).bytes
            #expect(try await post(Array(good.dropLast())) == 400)
            #expect(try await post(good + [0]) == 400)
            #expect(try await post(good + Array(repeating: 0, count: 4096)) == 413)
            #expect(try await post(Array(good.dropLast()) + [good[good.count - 1] ^ 1]) == 403)
            #expect(try await post(identity.sign(link(1, until: .now.advanced(by: .seconds(-1)))).bytes) == 400)
            #expect(
                try await post(identity.sign(link(1, until: .now.advanced(by: .seconds(32 * 86_400)))).bytes) == 400
            )
            #expect(try await post(good) == 204)
            #expect(try await post(good) == 204)
            let other = try Identity()
            let taken = LinkedGrant(
                address: link(1).address,
                sharer: other.publicIdentity,
                grant: link(1).grant,
                notAfter: link(1).notAfter,
                sealed: link(1).sealed
            )
            #expect(try await post(other.sign(taken).bytes) == 409)
            for number in 2...UInt64(SharingPolicy.linksPerSharerMax) {
                #expect(try await post(identity.sign(link(number)).bytes) == 204)
            }
            #expect(try await post(identity.sign(link(99)).bytes) == 429)
        }
    }

    /// Goal: a link that could not be posted leaves no usable grant, and its name is free.
    @Test func aLinkThatTheServerRefusesIsNotMade() async throws {
        let town = self.town
        try await town.withServer { port in
            let sharer = try await self.sharer(port: port)
            for _ in 0..<SharingPolicy.linksPerSharerMax {
                _ = try await sharer.link(by: "", precision: .full, for: Self.hour)
            }
            let before = try sharer.profile.grants()
            await #expect(throws: SharingError(.refused, "")) {
                try await sharer.link(called: "one more", by: "", precision: .full, for: Self.hour)
            }
            #expect(try sharer.profile.grants() == before)
            await #expect(throws: SharingError(.badText, "")) {
                try await sharer.link(called: "1", by: "", precision: .full, for: Self.hour)
            }
            await #expect(throws: SharingError(.badText, "")) {
                try await sharer.link(by: "", precision: .full, for: .seconds(32 * 86_400))
            }
            #expect(try sharer.profile.grants() == before)
            let first = try #require(before.first)
            try await sharer.revoke(first)
            let made = try await sharer.link(called: "one more", by: "", precision: .full, for: Self.hour)
            #expect(made.name == "one more")
        }
    }

    /// Goal: after a loss of the database, links are restored, except revoked ones.
    @Test func aLostDatabaseHasTheLinksAgain() async throws {
        let town = self.town
        let (port, kept, revoked) = try await town.withServer { port in
            let sharer = try await self.sharer(port: port)
            let kept = try await sharer.link(by: "", precision: .full, for: Self.hour)
            let revoked = try await sharer.link(by: "", precision: .full, for: Self.hour)
            try await sharer.revoke(revoked.grant)
            return (port, try self.secret(of: kept), try self.secret(of: revoked))
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: town.directory)
        where name.hasPrefix("server.sqlite") && !name.hasSuffix(".lock") {
            try FileManager.default.removeItem(atPath: town.path(name))
        }
        try await town.withServer(port: port) { port in
            #expect(try await self.look(kept, port: port) == 404)
            _ = try await self.sharer(port: port)
            #expect(try await self.look(kept, port: port) == 200)
            #expect(try await self.look(revoked, port: port) == 404)
        }
    }

    /// Goal: with a new key, no link of the old one works, and friends do not get the names of links.
    @Test func aNewKeyEndsTheLinks() async throws {
        let town = self.town
        try await town.withServer { port in
            let (old, _, grant) = try await town.people(port: port)
            let link = try await old.link(by: "", precision: .full, for: Self.hour)
            let new = try Sharer(profile: town.profile("new", port: port))
            let given = try await old.hand(over: new)
            #expect(given.map(\.value.requester) == [grant.value.requester])
            #expect(try await self.look(self.secret(of: link), port: port) == 404)
        }
    }
}
