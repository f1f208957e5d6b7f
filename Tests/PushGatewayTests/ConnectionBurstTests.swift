internal import Crypto
internal import Foundation
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushEngine
internal import WhereaboutsPushGateway
internal import WhereaboutsPushLink
internal import WhereaboutsVocabulary

/// Tests with many connections at once: of honest providers and devices, and of a tenant that tries to use all of them.
@Suite(.timeLimit(.minutes(2))) struct ConnectionBurstTests {
    private let rig: GatewayRig

    init() throws {
        self.rig = try GatewayRig()
    }

    /// Goal: a provider that opens a connection for each push loses no push.
    @Test func aHundredConnectionsWithOnePushEachAreServed() async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: Curve25519.Signing.PrivateKey())
            let token = try await device.register()
            let results = try await withThrowingTaskGroup(of: PushResult.self) { group in
                for _ in 0..<100 {
                    let (provider, push) = (try self.rig.provider(gateway), try self.rig.push(token))
                    group.addTask {
                        let result = await provider.send(push)
                        await provider.shutdown()
                        return result
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for result in results { _ = try result.get() }
            #expect(results.count == 100)
            try await device.disconnect()
        }
    }

    /// Goal: many devices behind one address get their tokens, although no provider has pushed to them yet.
    @Test func aFleetBehindOneAddressIsServed() async throws {
        try await self.rig.withGateway { gateway in
            let devices = try (0..<140).map { _ in
                try self.rig.device(gateway, key: Curve25519.Signing.PrivateKey())
            }
            for device in devices { device.client.register(topic: GatewayRig.topic) }
            var tokens: Set<[UInt8]> = []
            for device in devices { tokens.insert(try await device.registered()) }
            #expect(tokens.count == 140)
            for device in devices { try await device.disconnect() }
        }
    }

    /// Goal: one tenant cannot occupy all provider connections.
    ///
    /// Method: there are 40 places; from the twentieth on, a team may have 16. Each connection comes from another
    /// address.
    @Test func aTenantLeavesPlacesForTheOthers() async throws {
        let other = P256.Signing.PrivateKey()
        try await self.rig.withGateway(apps: ":\(GatewayRig.bundle)", providerConnectionsMax: 40) { gateway in
            try gateway.add(
                ProviderKey(
                    teamID: "OTHERTEAM0",
                    keyID: "OTHERKEY00",
                    publicKey: other.publicKey,
                    scope: .apps(["org.example.Other"])
                )
            )
            var held: [RawProvider] = []
            var statuses: [String] = []
            for number in 0..<24 {
                let provider = try await self.provider(gateway, from: "127.0.0.\(number + 1)")
                statuses.append(try await self.status(provider, self.rig.key, GatewayRig.teamID, GatewayRig.keyID))
                held.append(provider)
            }
            // A token that was never issued: the provider is accepted, but its push is rejected.
            let isServed = statuses.prefix(19).allSatisfy { $0 == "400 BadDeviceToken" }
            let isRefused = statuses.suffix(5).allSatisfy { $0 == "503 ServiceUnavailable" }
            #expect(isServed && isRefused, "\(statuses)")
            let end = try await held[23].connection.next("the end") { if case .goAway = $0 { true } else { false } }
            guard case .goAway(let reason, _) = end else { return }
            #expect(reason == #"{"reason":"ServiceUnavailable"}"#)
            let provider = try await self.provider(gateway, from: "127.0.0.25")
            let status = try await self.status(provider, other, "OTHERTEAM0", "OTHERKEY00")
            #expect(status == "400 BadDeviceToken")
            held.append(provider)
            for provider in held { try? await provider.close() }
        }
    }

    private func provider(_ gateway: PushGateway, from address: String) async throws -> RawProvider {
        let port = gateway.providerAddress.port
        return try await RawProvider(port: port, trustRootsPath: self.rig.path("ca.pem"), from: address)
    }

    /// The answer to a push for a token that was never issued.
    private func status(
        _ provider: RawProvider,
        _ key: P256.Signing.PrivateKey,
        _ teamID: String,
        _ keyID: String
    ) async throws -> String {
        let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
        let maker = TokenMaker(key: key, team: teamID, header: header)
        let token = try maker.token(iat: "\(PushGateway.systemTime().seconds)")
        let topic = keyID == GatewayRig.keyID ? GatewayRig.topic : "org.example.Other.location-query"
        let headers = [
            (":method", "POST"), (":scheme", "https"), (":path", "/3/device/0707"), ("apns-topic", topic),
            ("authorization", "bearer \(token)"),
        ]
        var status = ""
        for frame in try await provider.request(headers, body: "{}") {
            switch frame {
            case .headers(let headers, _): status += headers[":status"] ?? ""
            case .data(let body, _): status += " " + (body.split(separator: "\"").dropFirst(3).first ?? "")
            default: break
            }
        }
        return status
    }
}
