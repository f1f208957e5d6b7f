internal import Crypto
internal import FakeAPNS
internal import Foundation
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine
@testable internal import WhereaboutsPushGateway

/// Tests for a sender's account over `GET /3/relay`, at the edges of days, and for refused requests.
@Suite(.timeLimit(.minutes(2))) struct RelayAccountTests {
    let rig: RelayRig

    init() throws {
        self.rig = try RelayRig()
    }

    private func withDouble(_ pushesADay: Int = 1000, _ body: (PushGateway) async throws -> Void) async throws {
        let apple = try await FakeAPNS.start()
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        try await self.rig.withRelay(to: way, pushesADay: pushesADay) { (gateway, _) async throws in
            try await body(gateway)
        }
        try await apple.stop()
    }

    private var now: Int64 { self.rig.vendor.clock.seconds }

    private func advance(seconds: Int64) { self.rig.vendor.advanceClock(seconds: seconds) }

    /// The provider token of anyone who asks.
    enum Asker: Sendable {
        case sender, provider, nobody, impostor, late
    }

    private func token(_ asker: Asker) throws -> String? {
        let (own, vendors) = (self.rig.senderKey, self.rig.vendor.key)
        func maker(_ key: P256.Signing.PrivateKey, _ team: String, _ id: String) -> TokenMaker {
            TokenMaker(key: key, team: team, header: #"{"alg":"ES256","kid":"\#(id)"}"#)
        }
        let sender = maker(own, RelayRig.senderTeam, RelayRig.senderKeyID)
        switch asker {
        case .sender: return try sender.token(iat: "\(self.now)")
        case .late: return try sender.token(iat: "\(self.now - 3700)")
        case .nobody: return nil
        case .provider: return try maker(vendors, GatewayRig.teamID, GatewayRig.keyID).token(iat: "\(self.now)")
        // Another key with the sender's name.
        case .impostor: return try maker(vendors, RelayRig.senderTeam, RelayRig.senderKeyID).token(iat: "\(self.now)")
        }
    }

    private func request(
        _ gateway: PushGateway,
        _ method: String,
        _ path: String,
        _ asker: Asker = .sender,
        body: String? = nil
    ) async throws -> (status: String?, relay: String?, body: String) {
        let provider = try await RawProvider(
            port: gateway.providerAddress.port,
            trustRootsPath: self.rig.vendor.path("ca.pem")
        )
        var headers = [(":method", method), (":scheme", "https"), (":path", path)]
        if let token = try self.token(asker) { headers.append(("authorization", "bearer \(token)")) }
        if body != nil { headers.append(("apns-topic", GatewayRig.topic)) }
        let frames = try await provider.request(headers, body: body)
        try await provider.close()
        guard case .headers(let answer, _) = frames.first else { return (nil, nil, "\(frames)") }
        let text = frames.dropFirst().map { if case .data(let text, _) = $0 { text } else { "" } }.joined()
        return (answer[":status"], answer["whereabouts-relay"], text)
    }

    private func account(_ gateway: PushGateway) async throws -> SenderReport {
        let answer = try await self.request(gateway, "GET", "/3/relay")
        #expect(answer.status == "200" && answer.relay == nil)
        return try JSONDecoder().decode(SenderReport.self, from: Data(answer.body.utf8))
    }

    @Test(
        arguments: [
            ("GET", "/3/relay", .nobody, "403", "MissingProviderToken"),
            ("GET", "/3/relay", .impostor, "403", "InvalidProviderToken"),
            ("GET", "/3/relay", .late, "403", "ExpiredProviderToken"),
            ("GET", "/3/relay", .provider, "403", "Forbidden"),
            ("POST", "/3/relay", .sender, "404", "BadPath"), ("DELETE", "/3/relay", .sender, "405", "MethodNotAllowed"),
            ("HEAD", "/3/relay", .sender, "405", ""), ("GET", "/3/relay/", .sender, "405", "MethodNotAllowed"),
            ("GET", "/3/relay?sender=OTHERTEAM0", .sender, "405", "MethodNotAllowed"),
            ("GET", "/3/relay/OTHERTEAM0:OTHERKEY00", .sender, "405", "MethodNotAllowed"),
        ] as [(String, String, Asker, String, String)]
    )
    func aQuestionThatIsWrongIsRefused(
        _ method: String,
        _ path: String,
        _ asker: Asker,
        _ status: String,
        _ reason: String
    ) async throws {
        try await self.withDouble { (gateway) async throws in
            let answer = try await self.request(gateway, method, path, asker)
            #expect(answer.status == status && answer.body == (reason.isEmpty ? "" : #"{"reason":"\#(reason)"}"#))
            #expect(answer.relay == (asker == .provider ? "no_sender" : nil))
        }
    }

    /// The request may have a body, which is ignored.
    @Test func aBodyChangesNothing() async throws {
        try await self.withDouble { (gateway) async throws in
            let answer = try await self.request(
                gateway,
                "GET",
                "/3/relay",
                body: #"{"sender":"OTHERTEAM0:OTHERKEY00"}"#
            )
            #expect(answer.status == "200" && answer.body.contains("\(RelayRig.senderTeam):\(RelayRig.senderKeyID)"))
        }
    }

    /// Goal: a sender that asks a stopping gateway gets an error, not an empty account.
    @Test func aGatewayThatEndsTellsNoAccount() async throws {
        let ended = try await self.rig.vendor.withGateway(apps: ":org.example.Vendor") { $0 }
        let rejection = await #expect(throws: Rejection.self) { try await ended.host.senders(keys: []) }
        #expect(rejection?.reason.status == 503)
    }

    /// Goal: the daily count restarts at midnight UTC, not a day after the first push; each push counts for its day.
    @Test func aDayEndsAtMidnight() async throws {
        try await self.withDouble(2) { (gateway) async throws in
            func push() async throws -> (status: String?, relay: String?, body: String) {
                try await self.request(gateway, "POST", "/3/device/0707", body: RelayRig.sealed)
            }
            // Ten minutes before midnight, enough time for the first three pushes on a slow machine.
            self.advance(seconds: 86_400 - self.now % 86_400 - 600)
            for _ in 0..<2 { #expect(try await push().status == "200") }
            let refused = try await push()
            #expect(refused.status == "429" && refused.relay == "day")
            let before = try await self.account(gateway)
            #expect(before.days.map(\.sent) == [2] && before.apps == [GatewayRig.bundle] && before.hasKey)
            self.advance(seconds: 600)
            for _ in 0..<2 { #expect(try await push().status == "200") }
            #expect(try await push().relay == "day")
            let after = try await self.account(gateway)
            #expect(after.days.map(\.sent) == [2, 2] && after.days[1] == before.days[0])
            let days = try after.days.map { try Date("\($0.day)T00:00:00Z", strategy: .iso8601) }
            #expect(days[0].timeIntervalSince(days[1]) == 86_400, "the newest first")
        }
    }

    /// Goal: a push whose sender does not wait for the answer is counted like any other, and its place is freed.
    @Test func aSenderThatLeavesIsCounted() async throws {
        let apple = try await FakeAPNS.start([.silence])
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        try await self.rig.withRelay(to: way, timeout: .seconds(1)) { (gateway, _) async throws in
            let provider = try await RawProvider(
                port: gateway.providerAddress.port,
                trustRootsPath: self.rig.vendor.path("ca.pem")
            )
            let token = try #require(try self.token(.sender))
            let left = Task {
                try await provider.request(
                    [
                        (":method", "POST"), (":scheme", "https"), (":path", "/3/device/0707"),
                        ("authorization", "bearer \(token)"), ("apns-topic", GatewayRig.topic),
                    ],
                    body: RelayRig.sealed
                )
            }
            await apple.came(1)
            try await provider.close()
            #expect(try await left.value.isEmpty)
            #expect(try await gateway.senders().first?.underWay == 1)
        }
        // The gateway has stopped, after waiting for the answer that did not come.
        try await self.rig.withRelay(to: way) { (gateway, _) async throws in
            #expect(try await RelayRig.account(gateway) == "sent=1 accepted=0 unanswered=1")
            #expect(try await gateway.senders().first?.underWay == 0)
        }
        try await apple.stop()
    }

    /// Goal: the last 31 days are shown, and 400 are kept, so that a bill for a year can be checked.
    @Test func aDayIsShownForAMonthAndKeptForAYear() async throws {
        try await self.withDouble { (gateway) async throws in
            func kept() async throws -> Int {
                gateway.host.removeExpired()
                return try await gateway.host.read { store, _ in
                    try store.accounts(of: nil, since: AccountDay(number: 0)).count
                }
            }
            let pushed = try await self.request(gateway, "POST", "/3/device/0707", body: RelayRig.sealed)
            #expect(pushed.status == "200")
            let (day, noon) = (self.now / 86_400, Int64(43_200))
            // Noon, so that a slow machine does not reach midnight.
            self.advance(seconds: day * 86_400 + noon - self.now)
            self.advance(seconds: 30 * 86_400)
            #expect(try await self.account(gateway).days.count == 1)
            self.advance(seconds: 86_400)
            #expect(try await self.account(gateway).days.isEmpty)
            #expect(try await kept() == 1)
            self.advance(seconds: (400 - 31) * 86_400)
            #expect(try await kept() == 1)
            self.advance(seconds: 86_400)
            #expect(try await kept() == 0)
        }
    }
}
