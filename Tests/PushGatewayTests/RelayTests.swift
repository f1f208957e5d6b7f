internal import Crypto
internal import FakeAPNS
internal import Foundation
internal import Logging
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

/// Tests the relay: a vendor's gateway between another party's server and Apple.
///
/// A second gateway or a fake stands for Apple.
@Suite(.timeLimit(.minutes(2))) struct RelayTests {
    let rig: RelayRig
    let device = Curve25519.Signing.PrivateKey()

    init() throws {
        self.rig = try RelayRig()
    }

    /// Runs the relay between a sender and a gateway in Apple's place, to which a device is connected.
    private func withApple(
        pushesADay: Int = 1000,
        _ body: (PushGateway, APNSClient, GatewayRig.Device, [UInt8]) async throws -> Void
    ) async throws {
        let apple = try GatewayRig()
        try await apple.withGateway(isStrict: true) { service in
            let device = try apple.device(service, key: self.device)
            let token = try await device.register()
            let way = self.rig.way(
                port: service.providerAddress.port,
                trustRootsPath: apple.path("ca.pem"),
                key: apple.key
            )
            try await self.rig.withRelay(to: way, pushesADay: pushesADay) { (gateway, sender) async throws in
                try await body(gateway, sender, device, token)
            }
            try await device.disconnect()
        }
    }

    /// Runs the relay between a sender and a fake that does what the test says.
    private func withDouble(
        _ actions: [FakeAPNS.Action] = [],
        pushesADay: Int = 1000,
        timeout: Duration = .seconds(60),
        _ body: (PushGateway, APNSClient, FakeAPNS) async throws -> Void
    ) async throws {
        let apple = try await FakeAPNS.start(actions, streamsMax: 1000)
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        try await self.rig.withRelay(to: way, pushesADay: pushesADay, timeout: timeout) {
            (gateway, sender) async throws in
            try await body(gateway, sender, apple)
        }
        try await apple.stop()
    }

    /// Sends a push, and returns the reason of its rejection; nil: it was accepted.
    private func reason(_ sender: APNSClient, _ push: Push) async -> Reason? {
        guard case .rejected(let rejected) = await sender.send(push) else { return nil }
        return rejected.reason
    }

    // MARK: The way of a push

    /// Goal: a sealed push reaches the device byte for byte, under its sender's ID, and is counted.
    @Test func aSealedPushGoesOnAndIsCounted() async throws {
        try await self.withApple { gateway, sender, device, token in
            let answer = try await sender.send(self.rig.push(token)).get()
            let push = try await device.push()
            #expect(push.payload == Array(RelayRig.sealed.utf8))
            #expect(try await RelayRig.account(gateway) == "sent=1 accepted=1 unanswered=0")
            let trace = try #require(try await gateway.trace(apnsID: answer.apnsID ?? "").first)
            #expect(trace.relayedAt != nil && trace.end == "relayed" && trace.topic == GatewayRig.topic)
        }
    }

    /// Goal: the relay never sees the content of a request: such a push is refused, and Apple receives nothing.
    @Test func aPushThatIsNotSealedDoesNotGoOn() async throws {
        try await self.withDouble { gateway, sender, apple in
            #expect(try await self.reason(sender, self.rig.push(payload: #"{"request":"AAAA"}"#)) == .payloadEmpty)
            var named = try self.rig.push()
            named.collapseID = "Alice"
            #expect(await self.reason(sender, named) == .badCollapseID)
            var alert = try self.rig.push()
            alert.type = .alert
            #expect(await self.reason(sender, alert) == .badDeviceToken)
            #expect(apple.requests.isEmpty && apple.connections == 0)
            #expect(try await RelayRig.account(gateway) == "nothing")
        }
    }

    /// Goal: a push for one of this gateway's devices is not relayed, whatever it contains.
    @Test func aTokenOfThisGatewayStaysHere() async throws {
        try await self.withDouble { gateway, sender, apple in
            let device = try self.rig.vendor.device(gateway, key: self.device)
            let token = try await device.register()
            for payload in ["{}", RelayRig.sealed] {
                _ = try await sender.send(self.rig.push(token, payload: payload)).get()
                #expect(try await device.push().payload == Array(payload.utf8))
            }
            try await device.disconnect()
            #expect(apple.requests.isEmpty)
        }
    }

    /// Goal: a provider that is not a sender gets the usual errors.
    @Test func aProviderThatIsNoSenderHasNothingSent() async throws {
        try await self.withDouble { gateway, _, apple in
            let provider = try self.rig.vendor.provider(gateway)
            var push = try self.rig.push()
            #expect(await self.reason(provider, push) == .badDeviceToken)
            push.bundleIdentifier = "org.example.Vendor"
            #expect(await self.reason(provider, push) == .badDeviceToken)
            await provider.shutdown()
            #expect(apple.requests.isEmpty)
        }
    }

    /// Goal: a sender whose key is removed can send nothing more, at once.
    @Test func aSenderWhoseKeyWasRemovedSendsNoMore() async throws {
        try await self.withDouble { gateway, sender, apple in
            _ = try await sender.send(self.rig.push()).get()
            try gateway.removeKeys(teamID: RelayRig.senderTeam, keyID: nil)
            #expect(try await self.reason(sender, self.rig.push()) == .invalidProviderToken)
            #expect(apple.requests.count == 1)
            let report = try #require(try await gateway.senders().first)
            #expect(report.pushesADay == nil && report.days.first?.accepted == 1)
        }
    }

    // MARK: Answers

    @Test func applesReasonsReachTheSender() async throws {
        try await self.withDouble([
            .reject(status: 410, body: #"{"reason":"Unregistered","timestamp":1800000000123}"#),
            .reject(status: 400, body: #"{"reason":"BadDeviceToken"}"#),
            .reject(status: 429, body: #"{"reason":"TooManyRequests"}"#),
        ]) { gateway, sender, _ in
            guard case .rejected(let gone) = await sender.send(try self.rig.push()) else {
                Issue.record("it was not rejected")
                return
            }
            #expect(gone.reason == .unregistered && gone.timestamp == 1_800_000_000_123)
            #expect(try await self.reason(sender, self.rig.push()) == .badDeviceToken)
            #expect(try await self.reason(sender, self.rig.push()) == .tooManyRequests)
            let account = "sent=3 accepted=0 BadDeviceToken=1 TooManyRequests=1 Unregistered=1 unanswered=0"
            #expect(try await RelayRig.account(gateway) == account)
        }
    }

    /// Goal: if Apple rejects the vendor's key, only the operator is notified, without a name or token.
    @Test func aKeyThatAppleRefusesIsToldToTheOperator() async throws {
        let apple = try GatewayRig()
        try await apple.withGateway(isStrict: true) { service in
            let way = self.rig.way(port: service.providerAddress.port, trustRootsPath: apple.path("ca.pem"))
            try await self.rig.withRelay(to: way) { (gateway, sender) async throws in
                #expect(try await self.reason(sender, self.rig.push()) == .internalServerError)
                #expect(try await RelayRig.account(gateway) == "sent=1 accepted=0 InvalidProviderToken=1 unanswered=0")
            }
        }
        let errors = self.rig.log.text(from: .error)
        #expect(errors.contains("InvalidProviderToken") && errors.contains("check the key file"))
        let all = self.rig.log.text(from: .info)
        for secret in ["0707", RelayRig.senderTeam, RelayRig.senderKeyID, "c2VhbGVk"] {
            #expect(!all.contains(secret), "\(secret)")
        }
    }

    /// Goal: a push whose connection ends before its answer is reported as neither accepted nor unsent, and is not
    /// repeated.
    @Test func aPushWithoutAnAnswerIsSentOnce() async throws {
        try await self.withDouble([.hangUp]) { (gateway, sender, apple) async throws in
            #expect(try await self.reason(sender, self.rig.push()) == .serviceUnavailable)
            #expect(apple.requests.count == 1)
            #expect(try await RelayRig.account(gateway) == "sent=1 accepted=0 unanswered=1")
            // The sender can decide to send it again.
            _ = try await sender.send(self.rig.push()).get()
            #expect(try await RelayRig.account(gateway) == "sent=2 accepted=1 unanswered=1")
        }
    }

    @Test func whenNobodyIsInApplesPlaceTheSenderHearsSo() async throws {
        let apple = try await FakeAPNS.start()
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        try await apple.stop()
        try await self.rig.withRelay(to: way) { (gateway, sender) async throws in
            #expect(try await self.reason(sender, self.rig.push()) == .serviceUnavailable)
            // It was never sent, so it does not count as a push without an answer.
            #expect(try await RelayRig.account(gateway) == "sent=0 accepted=0 unanswered=0")
        }
    }

    /// Goal: a stopping gateway answers the pushes that are at Apple.
    @Test func theEndOfTheGatewayAnswersWhatIsUnderWay() async throws {
        let apple = try await FakeAPNS.start([.silence])
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        let answers = Events<PushResult>()
        #expect(Relay.timeout < ProviderConnection.endingTimeout)
        // Shorter than the relay's own time limit, for a busy machine.
        try await self.rig.withRelay(to: way, timeout: .seconds(1)) { (gateway, _) async throws in
            let sender = try self.rig.sender(gateway)
            let push = try self.rig.push()
            Task {
                answers.record(await sender.send(push))
                await sender.shutdown()
            }
            await apple.came(1)
        }
        let answer = try await answers.next("an answer") { _ in true }
        guard case .rejected(let rejected) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(rejected.reason == .serviceUnavailable)
        try await apple.stop()
        // The next process knows its outcome.
        let later = try await FakeAPNS.start()
        try await self.rig.withRelay(to: self.rig.way(port: later.port, trustRootsPath: later.authorityPath)) {
            (gateway, _) async throws in
            #expect(try await RelayRig.account(gateway) == "sent=1 accepted=0 unanswered=1")
        }
        try await later.stop()
    }

    // MARK: Limits

    @Test func aDayHasItsNumber() async throws {
        let metrics = MetricsRegistry()
        let apple = try await FakeAPNS.start()
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        try await self.rig.withRelay(to: way, pushesADay: 2, metrics: metrics) { (gateway, sender) async throws in
            for _ in 0..<2 { _ = try await sender.send(self.rig.push()).get() }
            #expect(try await self.reason(sender, self.rig.push()) == .tooManyRequests)
            self.rig.vendor.advanceClock(seconds: 86_400)
            #expect(try await RelayRig.account(gateway) == "sent=2 accepted=2 unanswered=0")
            let report = try #require(try await gateway.senders().first)
            #expect(report.pushesADay == 2 && report.days.count == 1)
        }
        #expect(apple.requests.count == 2)
        #expect(metrics.page.contains(#"whereabouts_gateway_relay_refused_total{reason="day"} 1"#))
        #expect(metrics.page.contains(#"whereabouts_gateway_relay_pushes_total{end="relayed"} 2"#))
        try await apple.stop()
    }

    /// Goal: if a sender's pushes hang, it has at most a hundred at Apple, and the next one is refused at once.
    @Test func aHundredAreUnderWayAtATime() async throws {
        let actions = [FakeAPNS.Action.accept()] + Array(repeating: .silence, count: 100)
        try await self.withDouble(actions, timeout: .seconds(20)) { (gateway, sender, apple) async throws in
            // Opens both connections first, which takes longest.
            _ = try await sender.send(self.rig.push()).get()
            try await withThrowingTaskGroup(of: Reason?.self) { group in
                for _ in 0..<100 {
                    let push = try self.rig.push()
                    group.addTask { await self.reason(sender, push) }
                }
                await apple.came(101)
                #expect(try await self.reason(sender, self.rig.push()) == .tooManyRequests)
                #expect(try await gateway.senders().first?.underWay == 100)
                for try await reason in group { #expect(reason == .serviceUnavailable) }
            }
            #expect(try await RelayRig.account(gateway) == "sent=101 accepted=1 unanswered=100")
            _ = try await sender.send(self.rig.push()).get()
        }
    }

    /// Goal: a sender with a list of dead tokens must wait before Apple slows the vendor's connection down.
    @Test func aSenderOfBadTokensWaits() async throws {
        let bad = FakeAPNS.Action.reject(status: 400, body: #"{"reason":"BadDeviceToken"}"#)
        try await self.withDouble(Array(repeating: bad, count: 60)) { (gateway, sender, apple) async throws in
            for _ in 0..<50 { #expect(try await self.reason(sender, self.rig.push()) == .badDeviceToken) }
            #expect(try await self.reason(sender, self.rig.push()) == .tooManyRequests)
            #expect(apple.requests.count == 50)
            #expect(try await gateway.senders().first?.waitsUntil != nil)
        }
        #expect(self.rig.log.text(from: .warning).contains("a sender is blocked for an hour"))
        // The next process knows of the wait before the sender sends anything.
        try await self.withDouble { gateway, sender, apple in
            let report = try #require(try await gateway.senders().first)
            #expect(report.waitsUntil.map { $0 > .now.addingTimeInterval(3000) } == true)
            #expect(try await self.reason(sender, self.rig.push()) == .tooManyRequests)
            #expect(apple.requests.isEmpty)
        }
    }

    // MARK: Accounts

    private func ask(
        _ gateway: PushGateway,
        path: String = "/3/relay",
        method: String = "GET",
        key: P256.Signing.PrivateKey,
        team: String,
        keyID: String
    ) async throws -> (status: String?, body: String) {
        let provider = try await RawProvider(
            port: gateway.providerAddress.port,
            trustRootsPath: self.rig.vendor.path("ca.pem")
        )
        let maker = TokenMaker(key: key, team: team, header: #"{"alg":"ES256","kid":"\#(keyID)"}"#)
        let token = try maker.token(iat: "\(PushGateway.systemTime().seconds)")
        let frames = try await provider.request(
            [
                (":method", method), (":scheme", "https"), (":path", path), ("authorization", "bearer \(token)"),
            ],
            body: nil
        )
        try await provider.close()
        guard case .headers(let headers, false) = frames.first else { return (nil, "\(frames)") }
        let body = frames.dropFirst().map { if case .data(let text, _) = $0 { text } else { "" } }.joined()
        return (headers[":status"], body)
    }

    /// Goal: a sender can read only its own account; unknown senders and other providers can read none.
    @Test func aSenderReadsItsOwnAccount() async throws {
        try await self.withDouble { gateway, sender, _ in
            let other = P256.Signing.PrivateKey()
            try gateway.add(
                ProviderKey(
                    teamID: "OTHERTEAM0",
                    keyID: "OTHERKEY00",
                    publicKey: other.publicKey,
                    scope: .apps([GatewayRig.bundle]),
                    relayedADay: 5
                )
            )
            _ = try await sender.send(self.rig.push()).get()
            let own = try await self.ask(
                gateway,
                key: self.rig.senderKey,
                team: RelayRig.senderTeam,
                keyID: RelayRig.senderKeyID
            )
            let report = try JSONDecoder().decode(SenderReport.self, from: Data(own.body.utf8))
            #expect(own.status == "200" && report.sender == "\(RelayRig.senderTeam):\(RelayRig.senderKeyID)")
            #expect(report.pushesADay == 1000 && report.days.map(\.accepted) == [1])
            let others = try await self.ask(gateway, key: other, team: "OTHERTEAM0", keyID: "OTHERKEY00")
            let nothing = try JSONDecoder().decode(SenderReport.self, from: Data(others.body.utf8))
            #expect(nothing.sender == "OTHERTEAM0:OTHERKEY00" && nothing.days.isEmpty && nothing.pushesADay == 5)
            let provider = try await self.ask(
                gateway,
                key: self.rig.vendor.key,
                team: GatewayRig.teamID,
                keyID: GatewayRig.keyID
            )
            #expect(provider.status == "403" && provider.body == #"{"reason":"Forbidden"}"#)
            let stranger = try await self.ask(gateway, key: other, team: "NOBODY0000", keyID: "OTHERKEY00")
            #expect(stranger.status == "403" && stranger.body == #"{"reason":"InvalidProviderToken"}"#)
            let posted = try await self.ask(
                gateway,
                method: "POST",
                key: self.rig.senderKey,
                team: RelayRig.senderTeam,
                keyID: RelayRig.senderKeyID
            )
            #expect(posted.status == "404" && posted.body == #"{"reason":"BadPath"}"#)
        }
    }

    /// Goal: a gateway without a relay answers as APNs does, and accepts no senders.
    @Test func aGatewayThatIsNoRelayKnowsNoSenders() async throws {
        try await self.rig.vendor.withGateway(apps: ":\(GatewayRig.bundle)") { gateway in
            let key = ProviderKey(
                teamID: RelayRig.senderTeam,
                keyID: RelayRig.senderKeyID,
                publicKey: self.rig.senderKey.publicKey,
                scope: .apps([GatewayRig.bundle]),
                relayedADay: 5
            )
            let error = #expect(throws: GatewayError.self) { try gateway.add(key) }
            #expect(error?.message.contains("--relay") == true)
            let asked = try await self.ask(
                gateway,
                key: self.rig.vendor.key,
                team: GatewayRig.teamID,
                keyID: GatewayRig.keyID
            )
            #expect(asked.status == "405")
            #expect(try await gateway.senders().isEmpty)
        }
    }

    // MARK: Options

    @Test(arguments: [
        "TEAM:KEY:FILE", "TEAM:KEY:NOFILE:app", "T:KEY:FILE:app", "TEAM:KEY:FILE:a b", "TEAM:KEY:PUB:app", "",
    ])
    func anOptionThatIsWrongSaysWhy(_ option: String) throws {
        let pem = self.rig.vendor.key.publicKey.pemRepresentation
        try pem.write(toFile: self.rig.vendor.path("key.pub"), atomically: true, encoding: .utf8)
        let text = option.replacing("TEAM", with: GatewayRig.teamID).replacing("KEY", with: GatewayRig.keyID)
            .replacing("NOFILE", with: self.rig.vendor.path("nobody.p8"))
            .replacing("FILE", with: self.rig.vendor.path("key.p8"))
            .replacing("PUB", with: self.rig.vendor.path("key.pub"))
        #expect(throws: GatewayError.self) { try SigningKey(relayOption: text) }
    }

    @Test func anOptionNamesTheVendorsKeyAndItsApps() throws {
        let path = self.rig.vendor.path("key.p8")
        let key = try SigningKey(relayOption: "\(GatewayRig.teamID):\(GatewayRig.keyID):\(path):org.example.a,b")
        #expect(key.teamID == GatewayRig.teamID && key.keyID == GatewayRig.keyID && key.apps == ["org.example.a", "b"])
    }

    @Test(arguments: [0, -1, 1_000_001]) func aDaysNumberHasARange(_ count: Int) {
        #expect(throws: GatewayError.self) { try ProviderKey.checkRelayed(count) }
    }
}
