internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushGateway

/// Tests for an operator's questions to a running gateway, and for removing a device.
@Suite struct OperatorTests {
    let rig: GatewayRig
    let device = Curve25519.Signing.PrivateKey()

    init() throws {
        self.rig = try GatewayRig()
    }

    private var key: String { Hex.text(of: Array(self.device.publicKey.rawRepresentation)) }

    private func ask(
        _ path: String,
        _ method: HTTPMethod = .GET,
        body: String? = nil
    ) async throws -> (status: UInt, body: Data) {
        let address = try #require(URL(httpURLWithSocketPath: self.rig.path("control"), uri: path))
        var request = HTTPClientRequest(url: address.absoluteString)
        request.method = method
        if let body { request.body = .bytes(Data(body.utf8)) }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        return (response.status.code, Data((try await response.body.collect(upTo: 1 << 20)).readableBytesView))
    }

    private func withOperator(
        apps: String = "",
        logger: Logger = GatewayRig.logger,
        _ body: (PushGateway, GatewayRig.Device) async throws -> Void
    ) async throws {
        try await self.rig.withGateway(apps: apps, logger: logger) { gateway in
            let control = try await OperatorListener(
                path: self.rig.path("control"),
                gateway: gateway,
                group: GatewayRig.group
            )
            let device = try self.rig.device(gateway, key: self.device)
            try await body(gateway, device)
            try await device.disconnect()
            try await control.close()
        }
    }

    /// Goal: the apns-id finds the history of one push, from the disk to the device's acknowledgement.
    @Test func aPushIsTraced() async throws {
        try await self.withOperator { gateway, device in
            let provider = try self.rig.provider(gateway)
            let response = try await provider.send(self.rig.push(try await device.register())).get()
            let id = try #require(response.apnsID)
            let push = try await device.push()
            let before = try #require(try await gateway.trace(apnsID: id).first)
            #expect(before.topic == GatewayRig.topic && before.deliveredAt != nil && before.end == nil)
            device.acknowledge(push)
            // Requests of a link are done in their order: with the token the acknowledgement is on disk.
            _ = try await device.register("org.example.Other.location-query")
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let traces = try decoder.decode([PushTrace].self, from: await self.ask("/pushes/\(id.uppercased())").body)
            #expect(traces.map(\.end) == ["acknowledged"])
            #expect(try await self.ask("/pushes/unknown").body == Data("[]".utf8))
            await provider.shutdown()
        }
    }

    @Test func theStateIsShown() async throws {
        try await self.withOperator { gateway, device in
            _ = try await device.register()
            let status = try JSONDecoder().decode(GatewayStatus.self, from: await self.ask("/status").body)
            #expect(status.isReady && status.devices == 1)
            #expect(status.keys == ["\(GatewayRig.teamID):\(GatewayRig.keyID)"])
            #expect(try await self.ask("/nothing").status == 404)
        }
    }

    /// Goal: after a device is removed, its token gets 410, and the device gets a new token when it reconnects.
    @Test func aDeviceIsListedAndRemoved() async throws {
        try await self.withOperator { gateway, device in
            let token = try await device.register()
            let listed = try JSONDecoder().decode([DeviceSummary].self, from: await self.ask("/devices").body)
            #expect(listed.map(\.key) == [self.key] && listed.first?.topics == [GatewayRig.topic])
            #expect(try await self.ask("/devices?after=\(self.key)").body == Data("[]".utf8))
            #expect(try await self.ask("/devices/12", .DELETE).status == 400)
            let stranger = try await self.ask("/devices/\(String(repeating: "07", count: 32))", .DELETE)
            #expect(stranger.status == 400 && String(decoding: stranger.body, as: UTF8.self).contains("no such device"))
            #expect(try await self.ask("/devices/\(self.key)", .DELETE).status == 200)
            let provider = try self.rig.provider(gateway)
            await #expect { try await provider.send(self.rig.push(token)).get() } throws: { error in
                (error as? APNSError)?.reason == .unregistered
            }
            #expect(try await device.registered() != token)
            await provider.shutdown()
        }
    }

    /// Goal: a removed key can no longer push, not even on an open connection.
    @Test func keysAreExchangedWithoutARestart() async throws {
        try await self.rig.withGateway { gateway in
            let device = try self.rig.device(gateway, key: self.device)
            let token = try await device.register()
            let provider = try self.rig.provider(gateway)
            _ = try await provider.send(self.rig.push(token)).get()
            let other = ProviderKey(
                teamID: "OTHERTEAM0",
                keyID: "OTHERKEY00",
                publicKey: P256.Signing.PrivateKey().publicKey,
                scope: .all
            )
            try gateway.exchangeKeys([other])
            await #expect { try await provider.send(self.rig.push(token)).get() } throws: { error in
                (error as? APNSError)?.reason == .invalidProviderToken
            }
            await provider.shutdown()
            try await device.disconnect()
        }
    }

    /// Goal: a removed token gets 410, and its connected device gets another one; other tokens stay.
    @Test func aTokenIsListedAndRemoved() async throws {
        try await self.withOperator { gateway, device in
            let token = try await device.register()
            let other = try await device.register("org.example.Other.location-query")
            let hex = Hex.text(of: token)
            let body = try await self.ask("/devices/\(self.key)/tokens").body
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let listed = try decoder.decode([TokenSummary].self, from: body)
            #expect(Set(listed.map(\.token)) == [hex, Hex.text(of: other)])
            #expect(try await self.ask("/tokens/xy", .DELETE).status == 400)
            #expect(try await self.ask("/tokens/\(hex)", .DELETE).status == 200)
            let again = try await self.ask("/tokens/\(hex)", .DELETE)
            #expect(again.status == 400 && String(decoding: again.body, as: UTF8.self).contains("no such token"))
            let provider = try self.rig.provider(gateway)
            guard case .rejected(let rejected) = await provider.send(try self.rig.push(token)) else {
                Issue.record("the token is alive")
                return
            }
            #expect(rejected.reason == .unregistered)
            _ = try await device.events.next("another token") {
                guard case .registered(GatewayRig.topic, let another) = $0 else { return false }
                return another.bytes != token
            }
            await provider.shutdown()
        }
    }

    private func keyJSON(_ key: P256.Signing.PrivateKey, team: String, id: String, apps: String) throws -> String {
        let pem = key.publicKey.pemRepresentation.replacing("\n", with: "\\n")
        return #"{"teamID":"\#(team)","keyID":"\#(id)","publicKey":"\#(pem)","apps":[\#(apps)]}"#
    }

    /// Goal: an added key can push at once, only to its apps, survives a restart, and stops at once when removed.
    @Test func keysAreAddedAndRemovedByTheOperator() async throws {
        let new = P256.Signing.PrivateKey()
        func names() async throws -> [String] {
            try JSONDecoder().decode([KeySummary].self, from: await self.ask("/keys").body).map {
                "\($0.teamID):\($0.keyID) \($0.apps.joined(separator: ",")) \($0.isKept)"
            }
        }
        func reason(_ provider: APNSClient, app: String = GatewayRig.bundle) async throws -> Reason? {
            var push = try self.rig.push([1])
            push.bundleIdentifier = app
            guard case .rejected(let rejected) = await provider.send(push) else { return nil }
            return rejected.reason
        }
        let given = "\(GatewayRig.teamID):\(GatewayRig.keyID) \(GatewayRig.bundle) false"
        func client(_ gateway: PushGateway) throws -> APNSClient {
            try self.rig.provider(gateway, key: new, teamID: "OTHERTEAM0", keyID: "OTHERKEY00")
        }
        try await self.withOperator(apps: ":\(GatewayRig.bundle)") { gateway, _ in
            let provider = try client(gateway)
            #expect(try await reason(provider) == .invalidProviderToken)
            let body = try self.keyJSON(new, team: "OTHERTEAM0", id: "OTHERKEY00", apps: #""org.example.New""#)
            #expect(try await self.ask("/keys", .PUT, body: body).status == 200)
            #expect(try await names() == [given, "OTHERTEAM0:OTHERKEY00 org.example.New true"])
            // This token belongs to no app; only a provider with an accepted key learns that.
            #expect(try await reason(provider, app: "org.example.New") == .badDeviceToken)
            #expect(try await reason(provider) == .topicDisallowed)
            await provider.shutdown()
        }
        try await self.withOperator(apps: ":\(GatewayRig.bundle)") { gateway, _ in
            let provider = try client(gateway)
            #expect(try await reason(provider, app: "org.example.New") == .badDeviceToken)
            let removed = try await self.ask("/keys/OTHERTEAM0/OTHERKEY00", .DELETE)
            #expect(removed.status == 200, "\(String(decoding: removed.body, as: UTF8.self))")
            #expect(try await reason(provider, app: "org.example.New") == .invalidProviderToken)
            #expect(try await names() == [given])
            await provider.shutdown()
        }
    }

    /// Goal: an order that is impossible reports the reason, and changes nothing.
    @Test func ordersAboutKeysThatAreWrongSayWhy() async throws {
        let new = P256.Signing.PrivateKey()
        try await self.withOperator(apps: ":\(GatewayRig.bundle)") { gateway, _ in
            let before = gateway.keys
            func adding(_ team: String, _ id: String, _ apps: String) throws -> String {
                try self.keyJSON(new, team: team, id: id, apps: apps)
            }
            let orders: [(path: String, method: HTTPMethod, body: String?, words: String)] = [
                ("/keys", .PUT, try adding("OTHERTEAM0", "OTHERKEY00", ""), "names no apps"),
                ("/keys", .PUT, try adding("OTHER", "OTHERKEY00", #""a""#), "10 letters and digits"),
                ("/keys", .PUT, try adding("OTHERTEAM0", "OTHERKEY00", #""a b""#), "not a bundle identifier"),
                ("/keys", .PUT, try adding(GatewayRig.teamID, GatewayRig.keyID, #""a""#), "--key"),
                (
                    "/keys", .PUT, try adding("OTHERTEAM0", "OTHERKEY00", #""\#(GatewayRig.bundle)""#),
                    "an app has one team"
                ),
                ("/keys", .PUT, "{}", "members"), ("/keys/OTHERTEAM0", .DELETE, nil, "is not there"),
                ("/keys/\(GatewayRig.teamID)", .DELETE, nil, "remove it there"),
            ]
            for order in orders {
                let answer = try await self.ask(order.path, order.method, body: order.body)
                #expect(answer.status == 400)
                #expect(String(decoding: answer.body, as: UTF8.self).contains(order.words), "\(order.words)")
            }
            #expect(gateway.keys == before)
        }
    }

    /// Goal: removing the keys of a team that can still push with a key from an option does not report that the team is
    /// gone.
    @Test func aKeyThatStaysIsSaid() async throws {
        let new = P256.Signing.PrivateKey()
        try await self.withOperator(apps: ":\(GatewayRig.bundle)") { gateway, _ in
            let body = try self.keyJSON(
                new,
                team: GatewayRig.teamID,
                id: "OTHERKEY00",
                apps: #""\#(GatewayRig.bundle)""#
            )
            #expect(try await self.ask("/keys", .PUT, body: body).status == 200)
            let removed = try await self.ask("/keys/\(GatewayRig.teamID)", .DELETE)
            let words = try JSONDecoder().decode([String: String].self, from: removed.body)
            #expect(words["warning"]?.contains("\(GatewayRig.teamID):\(GatewayRig.keyID); remove it there") == true)
            #expect(gateway.keys.map(\.keyID) == [GatewayRig.keyID])
        }
    }

    /// Goal: a gateway that stops removes its own socket, but not another gateway's socket at the same path.
    @Test func aSocketOfAnotherGatewaysStays() async throws {
        let path = self.rig.path("lost")
        try await self.rig.withGateway { gateway in
            let first = try await OperatorListener(path: path, gateway: gateway, group: GatewayRig.group)
            try FileManager.default.removeItem(atPath: path)
            let second = try await OperatorListener(path: path, gateway: gateway, group: GatewayRig.group)
            try await first.close()
            #expect(SocketFile(path) == .inUse)
            try await second.close()
            #expect(SocketFile(path) == .missing)
        }
    }

    /// Goal: the log records operators' orders, but not refused ones, and contains no token, device or key.
    @Test func ordersAreInTheLog() async throws {
        let log = LogLines()
        let new = P256.Signing.PrivateKey()
        let body = try self.keyJSON(new, team: "OTHERTEAM0", id: "OTHERKEY00", apps: #""org.example.New""#)
        try await self.withOperator(apps: ":\(GatewayRig.bundle)", logger: log.logger) { _, device in
            let hex = Hex.text(of: try await device.register())
            // Its first token was removed, but it still belongs to the gateway.
            _ = try await device.register("org.example.Other.location-query")
            func said(_ words: String...) -> Bool {
                log.text(from: .notice).split(separator: "\n").contains { line in
                    words.allSatisfy { line.contains($0) }
                }
            }
            #expect(try await self.ask("/keys", .PUT, body: "{}").status == 400)
            #expect(try await self.ask("/keys/OTHERTEAM0", .DELETE).status == 400)
            #expect(try await self.ask("/tokens/07", .DELETE).status == 400)
            #expect(!said("an operator"))
            #expect(try await self.ask("/keys", .PUT, body: body).status == 200)
            #expect(said("added a provider key", "org.example.New"))
            #expect(try await self.ask("/keys/OTHERTEAM0/OTHERKEY00", .DELETE).status == 200)
            #expect(said("removed provider keys"))
            #expect(try await self.ask("/tokens/\(hex)", .DELETE).status == 200)
            #expect(said("removed a device's token"))
            #expect(try await self.ask("/devices/\(self.key)", .DELETE).status == 200)
            #expect(said("removed a device,"))
            let text = log.text(from: .info)
            let content = new.publicKey.pemRepresentation.split(separator: "\n")[1]
            for secret in [hex, self.key, String(content), "OTHERTEAM0", "OTHERKEY00"] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    /// Access to the socket is the permission to use it.
    @Test func theSocketIsItsOwnersAlone() async throws {
        try await self.withOperator { _, _ in
            let attributes = try FileManager.default.attributesOfItem(atPath: self.rig.path("control"))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }
}
