internal import APNS
internal import APNSClient
internal import AsyncHTTPClient
internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import PushEngine
internal import Testing
internal import Vocabulary

@testable internal import PushGateway

/// An operator asks a gateway that runs, and removes a device.
@Suite struct OperatorTests {
    let rig: GatewayRig
    let device = Curve25519.Signing.PrivateKey()

    init() throws {
        self.rig = try GatewayRig()
    }

    private var key: String { Hex.text(of: Array(self.device.publicKey.rawRepresentation)) }

    private func ask(_ path: String, _ method: HTTPMethod = .GET) async throws -> (status: UInt, body: Data) {
        let address = try #require(URL(httpURLWithSocketPath: self.rig.path("control"), uri: path))
        var request = HTTPClientRequest(url: address.absoluteString)
        request.method = method
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        return (response.status.code, Data((try await response.body.collect(upTo: 1 << 20)).readableBytesView))
    }

    private func withOperator(_ body: (PushGateway, GatewayRig.Device) async throws -> Void) async throws {
        try await self.rig.withGateway { gateway in
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

    /// Goal: the way of one push is told by its apns-id, from the disk to the device's acknowledgement.
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

    /// Goal: a device that was removed is gone: its token is 410, and it gets a new one when it comes again.
    @Test func aDeviceIsListedAndRemoved() async throws {
        try await self.withOperator { gateway, device in
            let token = try await device.register()
            let listed = try JSONDecoder().decode([DeviceSummary].self, from: await self.ask("/devices").body)
            #expect(listed.map(\.key) == [self.key] && listed.first?.topics == [GatewayRig.topic])
            #expect(try await self.ask("/devices?after=\(self.key)").body == Data("[]".utf8))
            #expect(try await self.ask("/devices/12", .DELETE).status == 400)
            #expect(try await self.ask("/devices/\(self.key)", .DELETE).status == 200)
            let provider = try self.rig.provider(gateway)
            await #expect { try await provider.send(self.rig.push(token)).get() } throws: { error in
                (error as? APNSError)?.reason == .unregistered
            }
            #expect(try await device.registered() != token)
            await provider.shutdown()
        }
    }

    /// Goal: a key that was taken away pushes no more, on a connection that is open, too.
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

    /// The socket is the right to ask.
    @Test func theSocketIsItsOwnersAlone() async throws {
        try await self.withOperator { _, _ in
            let attributes = try FileManager.default.attributesOfItem(atPath: self.rig.path("control"))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }
}
