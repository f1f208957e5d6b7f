internal import Crypto
internal import FakeAPNS
internal import Foundation
internal import Logging
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

/// Tests the relay as its operator sees it: traced pushes, added keys, and senders' states.
@Suite(.timeLimit(.minutes(2))) struct RelayOperatorTests {
    let rig: RelayRig

    init() throws {
        self.rig = try RelayRig()
    }

    private func key(_ apps: Set<String>, _ pushesADay: Int? = 10) -> ProviderKey {
        ProviderKey(
            teamID: RelayRig.senderTeam,
            keyID: RelayRig.senderKeyID,
            publicKey: self.rig.senderKey.publicKey,
            scope: apps.isEmpty ? .all : .apps(apps),
            relayedADay: pushesADay
        )
    }

    /// Goal: Apple receives the sender's push headers unchanged, and all three parties use the same ID.
    @Test func aPushGoesOnAsItCame() async throws {
        let apple = try await FakeAPNS.start()
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        try await self.rig.withRelay(to: way) { (gateway, sender) async throws in
            var push = try self.rig.push([0xAB, 7])
            (push.id, push.priority) = (MessageID("00000000-0000-4000-8000-00000000000a"), .powerConsiderate)
            let until = gateway.now().seconds + 3600
            push.expiration = .until(until)
            let answer = try await sender.send(push).get()
            let request = try #require(apple.requests.first)
            #expect(answer.apnsID == push.id?.text && request.headers["apns-id"] == push.id?.text)
            #expect(request.headers[":path"] == "/3/device/ab07" && request.headers["apns-priority"] == "5")
            #expect(request.headers["apns-expiration"] == "\(until)")
            #expect(
                request.headers["apns-topic"] == GatewayRig.topic && request.headers["apns-push-type"] == "location"
            )
            #expect(request.headers["whereabouts-relay"] == nil && request.body == RelayRig.sealed)
        }
        try await apple.stop()
    }

    /// Goal: a trace is never in two states: a push that Apple rejected was neither accepted nor delivered.
    @Test func aTraceOfARelayedPushHasOneState() async throws {
        let apple = try await FakeAPNS.start([
            .reject(status: 400, body: #"{"reason":"BadDeviceToken"}"#), .accept(),
        ])
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        try await self.rig.withRelay(to: way) { (gateway, sender) async throws in
            for (id, end) in [
                ("00000000-0000-4000-8000-000000000001", "rejected"),
                ("00000000-0000-4000-8000-000000000002", "relayed"),
            ] {
                var push = try self.rig.push()
                push.id = MessageID(id)
                _ = await sender.send(push)
                let trace = try #require(try await gateway.trace(apnsID: id).first)
                #expect(trace.end == end && trace.reason == (end == "rejected" ? "BadDeviceToken" : nil))
                #expect(trace.acceptedAt == nil && trace.deliveredAt == nil)
                let (sent, ended) = (try #require(trace.relayedAt), try #require(trace.endedAt))
                #expect(sent <= ended)
                let json = String(decoding: try JSONEncoder.ofAnswers.encode(trace), as: UTF8.self)
                #expect(!json.contains("delivered") && !json.contains("accepted"), "\(json)")
            }
        }
        try await apple.stop()
    }

    /// Goal: the vendor's own key need not name apps because of senders (as `whereabouts init` makes it); a sender's
    /// must.
    @Test func aSenderIsAGuestOfAVendorWhoseKeyNamesNoApps() async throws {
        let apple = try await FakeAPNS.start()
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        try await self.rig.vendor.withGateway(relay: way) { (gateway) async throws in
            #expect(try gateway.add(self.key([GatewayRig.bundle])) == nil)
            let sender = try self.rig.sender(gateway)
            _ = try await sender.send(self.rig.push()).get()
            await sender.shutdown()
            for key in [self.key([]), self.key([], nil), self.key([GatewayRig.bundle], nil)] {
                let error = #expect(throws: GatewayError.self) { try gateway.add(key) }
                #expect(error?.message.contains("names no apps") == true, "\(error?.message ?? "")")
            }
            #expect(gateway.keys.map(\.relayedApps) == [[], [GatewayRig.bundle]])
        }
        // With the keys of the store, and with others given, it starts as before.
        try await self.rig.vendor.withGateway(relay: way) { (gateway) async throws in
            #expect(try await gateway.senders().first?.apps == [GatewayRig.bundle])
        }
        try await apple.stop()
    }

    /// Goal: a sender whose app is no longer relayed is reported, in the log without its name, and when asked.
    @Test func aSenderThatARestartLeftWithoutAnAppIsSaid() async throws {
        let apple = try await FakeAPNS.start()
        let way = self.rig.way(port: apple.port, trustRootsPath: apple.authorityPath)
        try await self.rig.withRelay(to: way) { (gateway, _) async throws in
            #expect(!self.rig.log.text(from: .warning).contains("no pushes of some senders go to Apple"))
        }
        try await self.rig.vendor.withGateway(logger: self.rig.log.logger) { (gateway) async throws in
            let report = try #require(try await gateway.senders().first)
            #expect(report.pushesADay == 1000 && report.hasKey && report.apps.isEmpty)
        }
        let log = self.rig.log.text(from: .warning)
        #expect(log.contains("no pushes of some senders go to Apple") && !log.contains(RelayRig.senderTeam))
        try await apple.stop()
    }
}
